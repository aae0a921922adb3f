"""A passkey device without a browser: it responds to the site's options (WebAuthn)."""

import base64
import hashlib
import json
import secrets

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def text_of(data: bytes) -> str:
    """Encode bytes as WebAuthn does in JSON."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Device:
    """One authenticator with one passkey; its attributes can be changed to make its responses wrong."""

    def __init__(self, origin: str = "http://localhost", host: str = "localhost"):
        self.origin, self.host = origin, host
        self.flags = PRESENT | VERIFIED
        self.count = 0
        self.id = secrets.token_bytes(32)
        self._key = ec.generate_private_key(ec.SECP256R1())

    def make(self, options: str) -> str:
        """The result of `navigator.credentials.create`."""
        numbers = self._key.public_key().public_numbers()
        point = {-2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        key = cbor2.dumps({1: 2, 3: -7, -1: 1, **point})
        attested = bytes(16) + len(self.id).to_bytes(2) + self.id + key
        said = {"fmt": "none", "attStmt": {}, "authData": self._data(ATTESTED) + attested}
        client = self._client("webauthn.create", options)
        return self._answer(client, attestationObject=text_of(cbor2.dumps(said)))

    def prove(self, options: str) -> str:
        """The result of `navigator.credentials.get`."""
        self.count += 1
        data, client = self._data(), self._client("webauthn.get", options)
        signed = self._key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return self._answer(client, authenticatorData=text_of(data), signature=text_of(signed))

    def _data(self, more: int = 0) -> bytes:
        host = hashlib.sha256(self.host.encode()).digest()
        return host + bytes([self.flags | more]) + self.count.to_bytes(4)

    def _client(self, act: str, options: str) -> bytes:
        challenge = json.loads(options)["challenge"]
        return json.dumps({"type": act, "challenge": challenge, "origin": self.origin}).encode()

    def _answer(self, client: bytes, **response) -> str:
        number = text_of(self.id)
        response = {"clientDataJSON": text_of(client), **response}
        return json.dumps({"id": number, "rawId": number, "type": "public-key", "response": response})
