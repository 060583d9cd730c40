// A play in the canonical form (the docstring of rules/notation.py, 1 to 5).

const show = (p) => (p === 25 ? "bar" : p === 0 ? "off" : String(p));

/** 2: steps joined into journeys, each the points it touches. */
function journeys(steps) {
  const open = [...steps];
  const joined = [];
  while (open.length > 0) {
    open.sort((a, b) => b.from - a.from || a.to - b.to);
    const first = open.shift();
    const path = [first.from, first.to];
    for (let next; (next = open.findIndex((step) => step.from === path.at(-1))) >= 0;) {
      path.push(open.splice(next, 1)[0].to);
    }
    joined.push(path);
  }
  return joined;
}

/**
 * @param {{from: number, to: number}[]} steps the mover's points, bar 25, off 0
 * @param {number[]} hits the points on which an opposing checker is hit
 * @returns {string}
 */
export function writePlay(steps, hits) {
  const merged = new Map();
  for (const path of journeys(steps)) {
    const name = `${path[0]}/${path.at(-1)}`;
    const same = merged.get(name) ?? { from: path[0], to: path.at(-1), paths: [], count: 0 };
    same.count++;
    same.paths.push(path);
    merged.set(name, same);
  }
  const ordered = [...merged.values()].sort((a, b) => b.from - a.from || a.to - b.to);
  const marks = new Set(hits);
  return ordered
    .map(({ from, to, paths, count }) => {
      const touched = [...new Set(paths.flat())].sort((a, b) => b - a);
      const written = touched.flatMap((p) => {
        const hit = p !== from && marks.delete(p);
        return hit || p === from || p === to ? [show(p) + (hit ? "*" : "")] : [];
      });
      return written.join("/") + (count > 1 ? `(${count})` : "");
    })
    .join(" ");
}
