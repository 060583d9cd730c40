"""``/v1/keys``: the public keys that the service signs, or signed, with."""

import msgspec
from fastapi import APIRouter
from msgspec import Struct
from starlette.responses import Response

from dice_service.api import documents
from dice_service.api.context import ServiceDep
from dice_service.api.pages import page_sha256
from verifier.events import PROTOCOL, Hex32, KeyId

router = APIRouter(tags=["keys"])


class PublicKey(Struct, frozen=True):
    """A public key; ``active`` is the one that new matches get."""

    key_id: KeyId
    public_key: Hex32
    active: bool


class Keys(Struct, frozen=True):
    """Every key of the service, retired ones too: their matches still verify.

    ``page_sha256`` is that of the verification page as it stands at ``/verify``.
    """

    protocol: str
    keys: tuple[PublicKey, ...]
    page_sha256: Hex32


@router.get(
    "/v1/keys",
    operation_id="listKeys",
    summary="The service's public keys",
    responses=documents.get(Keys, "All of them"),
    openapi_extra=documents.operation(documents.ANYONE),
)
async def list_keys(service: ServiceDep) -> Response:
    """Public. Write them down somewhere that the service cannot change."""
    active = service.signing.active.key_id
    keys = tuple(
        PublicKey(signer.key_id, signer.public_key, signer.key_id == active)
        for signer in service.signing.signers
    )
    content = msgspec.json.encode(Keys(PROTOCOL, keys, page_sha256()))
    return Response(content, 200, {"cache-control": "no-cache"}, documents.JSON)
