"""A donation platform: an HTTP server that executes GraphQL with the part of the real schema that we use."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from graphql import build_schema, graphql_sync

from tests.waiting import POLL

SCHEMA = build_schema("""
scalar DateTime
scalar EmailAddress
enum TransactionType { DEBIT CREDIT }
enum TransactionKind { ADDED_FUNDS CONTRIBUTION EXPENSE HOST_FEE PLATFORM_TIP }
enum ContributionFrequency { WEEKLY MONTHLY YEARLY ONETIME }
enum Currency { USD EUR GBP }
enum DateTimeField { CREATED_AT }
enum OrderDirection { ASC DESC }
input AccountReferenceInput { id: String legacyId: Int slug: String }
input ChronologicalOrderInput { field: DateTimeField! direction: OrderDirection! }
type Amount { value: Float currency: Currency valueInCents: Float }
type Order { id: String! frequency: ContributionFrequency }
interface Account { id: String! slug: String! emails: [EmailAddress!] }
type Individual implements Account { id: String! slug: String! emails: [EmailAddress!] email: EmailAddress }
interface Transaction {
  id: String! type: TransactionType! kind: TransactionKind createdAt: DateTime
  isRefund: Boolean isRefunded: Boolean
  amount: Amount! amountInHostCurrency: Amount! order: Order fromAccount: Account
}
type Credit implements Transaction {
  id: String! type: TransactionType! kind: TransactionKind createdAt: DateTime
  isRefund: Boolean isRefunded: Boolean
  amount: Amount! amountInHostCurrency: Amount! order: Order fromAccount: Account
}
type TransactionCollection { offset: Int limit: Int totalCount: Int nodes: [Transaction] }
type Query {
  transactions(
    account: [AccountReferenceInput!] type: TransactionType kind: [TransactionKind] dateFrom: DateTime
    orderBy: ChronologicalOrderInput! = {field: CREATED_AT, direction: DESC}
    limit: Int! = 100 offset: Int! = 0
  ): TransactionCollection!
}
""")
COLLECTIVE, TOKEN = "comics", "the platform's token"


class DonationPlatform:
    """The server; it reports `transactions`, or sends each of `answers` once instead."""

    def __init__(self):
        self.transactions: list[dict] = []
        self.answers: list[tuple[int, dict, bytes]] = []
        self.asked: list[dict] = []
        platform = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                """Answer a query."""
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                platform.asked.append(sent["variables"])
                instead = platform.answers.pop(0) if platform.answers else None
                status, headers, body = instead or platform.answer(sent, self.headers.get("Personal-Token"))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/graphql/v2"
        threading.Thread(target=self._server.serve_forever, args=(POLL,), daemon=True).start()

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()

    def add_contribution(
        self, number: str, given: str, email: str | None, cents: int, frequency="ONETIME", **more
    ) -> None:
        """Add a contribution."""
        amount = {"valueInCents": cents, "value": cents / 100, "currency": "USD"}
        self.transactions.append(
            {
                "id": number,
                "type": "CREDIT",
                "kind": "CONTRIBUTION",
                "createdAt": given,
                "isRefund": False,
                "isRefunded": False,
                "amount": amount,
                "amountInHostCurrency": amount,
                "order": {"id": f"order of {number}", "frequency": frequency} if frequency else None,
                "fromAccount": {"id": "x", "slug": "x", "emails": [email] if email else None},
            }
            | more
        )

    def answer(self, sent: dict, token: str | None) -> tuple[int, dict, bytes]:
        """The platform's response to a query."""
        done = graphql_sync(
            SCHEMA,
            sent["query"],
            {"transactions": lambda _info, **asked: self._transactions(token, **asked)},
            variable_values=sent["variables"],
            type_resolver=lambda value, *_: "Credit" if "createdAt" in value else "Individual",
        )
        return (
            (400 if done.data is None else 200),
            {"Content-Type": "application/json"},
            json.dumps(done.formatted).encode(),
        )

    def _transactions(self, token, *, account, type, kind, orderBy, limit, offset, dateFrom=None):  # noqa: A002, N803
        if account != [{"slug": COLLECTIVE}] or limit > 1000:
            raise ValueError("No such account")
        found = [
            each | ({} if token == TOKEN else {"fromAccount": each["fromAccount"] | {"emails": None}})
            for each in self.transactions
            if each["type"] == type
            and each["kind"] in kind
            and (not dateFrom or each["createdAt"] >= dateFrom)
        ]
        found.sort(key=lambda each: each["createdAt"], reverse=orderBy["direction"] == "DESC")
        return {"totalCount": len(found), "nodes": found[offset : offset + limit]}
