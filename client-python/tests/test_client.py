"""The client against a running service, which `test/client/python.test.ts` starts: its addresses are in the environment."""

import json
import os
import tempfile
import threading
import unittest
import urllib.request

from handset import Event, Handset, HandsetError, Retry, WebhookVerificationError, verify_webhook

url, key, sandbox = (os.environ[name] for name in ("HANDSET_URL", "HANDSET_KEY", "SANDBOX"))
device = int(os.environ["DEVICE"])
bob = os.environ["BOB"]


def shown(wanted: int) -> list[str]:
    """Texts on Bob's phone, once there are as many."""
    texts: list[str] = []
    while len(texts) < wanted:
        with urllib.request.urlopen(f"{sandbox}/phones/{bob}/messages?after={len(texts)}&waitMs=10000") as answer:
            texts += [message["text"] for message in json.load(answer)["messages"]]
    return texts


class Client(unittest.TestCase):
    def setUp(self) -> None:
        self.handset = Handset(url, key, retry=Retry(delay=0.01))

    def test_1_sends_and_lists(self) -> None:
        self.assertEqual(self.handset.devices.get(device)["device"]["status"], "connected")
        sent = self.handset.messages.send_text(device, to_number=bob, message="from Python")
        again = [
            self.handset.messages.send_text(device, to_number=bob, message="once", idempotency_key="python-1")
            for _ in range(2)
        ]
        self.assertEqual(again[0]["messageId"], again[1]["messageId"])
        self.assertEqual(shown(2), ["from Python", "once"])
        pages = self.handset.messages.list(device, limit=1, type="text")
        self.assertEqual([message["text"] for message in pages], ["once", "from Python"])
        first = pages.page()
        self.assertEqual(len(first["messages"]), 1)
        second = pages.page(first["nextCursor"])
        self.assertEqual(second["messages"][0]["id"], sent["messageId"])
        self.assertEqual([one["id"] for one in self.handset.devices.list()], [device])

    def test_2_null_and_what_is_left_out_differ(self) -> None:
        hook = self.handset.devices.get(device)["device"]["webhookUrl"]
        self.handset.devices.update(device, name="Renamed")
        self.assertEqual(self.handset.devices.get(device)["device"]["webhookUrl"], hook)
        self.handset.devices.update(device, webhook_url=None)
        changed = self.handset.devices.get(device)["device"]
        self.assertEqual((changed["name"], changed["webhookUrl"]), ("Renamed", None))

    def test_2a_uploads_bytes_and_files(self) -> None:
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"x" * 300_000)
            file.flush()
            for source, size in ((b"%PDF-1.5", 8), (file.name, 300_000)):
                uploaded = self.handset.upload(device, source)["file"]
                self.assertEqual(uploaded["bytes"], size)
                sent = self.handset.messages.send_document(
                    device, to_number=bob, file_id=uploaded["id"], idempotency_key=uploaded["id"]
                )
                self.assertTrue(sent["messageId"])
        with self.assertRaises(HandsetError) as refused:
            self.handset.upload(device, b"")
        self.assertEqual(refused.exception.status, 400)

    def test_3_raises_what_the_service_answers(self) -> None:
        with self.assertRaises(HandsetError) as refused:
            self.handset.devices.get(999)
        self.assertEqual((refused.exception.status, str(refused.exception)), (404, "Device not found"))
        self.assertRegex(refused.exception.request_id or "", r"^[\w-]{10,}$")
        with self.assertRaisesRegex(HandsetError, "Bearer"):
            Handset(url, "hs_wrong").account.get()
        with self.assertRaises(ValueError):
            Handset("127.0.0.1:8080", key)
        with self.assertRaisesRegex(OSError, "^http://127.0.0.1:1 cannot be reached: "):
            Handset("http://127.0.0.1:1", key, retry=Retry(attempts=0)).account.get()

    def test_4_sends_once_though_the_answers_are_lost(self) -> None:
        lossy = Handset(os.environ["LOSSY_URL"], key, retry=Retry(delay=0.01))
        before = len(shown(2))
        lossy.messages.send_text(device, to_number=bob, message="lost and found")
        self.handset.messages.send_text(device, to_number=bob, message="last")
        self.assertEqual(shown(before + 2)[before:], ["lost and found", "last"])

    def test_5_files(self) -> None:
        fetched = self.handset.chats.list(device).page()
        self.assertGreaterEqual(len(fetched["chats"]), 1)
        self.assertEqual(self.handset.chats.list(device, archived=True).page()["chats"], [])
        created = self.handset.devices.create(name="QR")["device"]
        picture = self.handset.devices.qr(created["id"], format="svg")
        self.assertTrue(picture.content.lstrip().startswith(b"<"), picture.content[:20])
        self.assertIn("svg", picture.content_type)
        self.handset.devices.delete(created["id"])

    def test_6_events(self) -> None:
        found: list[Event] = []

        def follow() -> None:
            for event in self.handset.events(device, after=first["id"], types=["message.sent"]):
                found.append(event)
                if len(found) == 2:
                    return

        first = self.handset.log.list(device, order="newest", limit=1)["events"][0]
        self.handset.messages.send_text(device, to_number=bob, message="before the stream")
        follower = threading.Thread(target=follow, daemon=True)
        follower.start()
        self.handset.messages.send_text(device, to_number=bob, message="during the stream")
        follower.join(20)
        texts = [event["data"]["message"]["text"] for event in found if event["type"] == "message.sent"]
        self.assertEqual(texts, ["before the stream", "during the stream"])

    def test_7_webhooks(self) -> None:
        delivery = json.loads(os.environ["DELIVERY"])
        body, headers, secret = delivery["body"], delivery["headers"], delivery["secret"]
        event = verify_webhook(body, headers, secret)
        self.assertEqual(event["type"], "connection.open")
        self.assertEqual(verify_webhook(body.encode(), headers, ["whsec_AAAA", secret])["id"], event["id"])
        wrong = [
            (body + " ", headers, secret, None),
            (body, headers, "whsec_AAAA", None),
            (body, {**headers, "webhook-timestamp": "1"}, secret, None),
            (body, headers, secret, int(headers["webhook-timestamp"]) + 301.0),
            (body, {}, secret, None),
        ]
        for given, sent, key, now in wrong:
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(given, sent, key, now=now)
        with self.assertRaises(ValueError):
            verify_webhook(body, headers, "whsec_")


if __name__ == "__main__":
    unittest.main()
