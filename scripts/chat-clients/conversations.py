# SPDX-License-Identifier: Apache-2.0

"""Tests the complete conversations protocol with `httpx`, `httpx-sse` and a project of each family."""
import json
import os
import sys

import httpx
from checks import DATE, UUID, check, done
from httpx_sse import connect_sse

BASE = os.environ["CONVERSATIONS"]
GATEWAY = os.environ["GATEWAY"]
KEY = os.environ["GATEWAY_KEY"]
LONGEST = 30


def answer_to(client, project, conversation, text):
    """Sends a message, and returns the events of the response."""
    events = []
    with connect_sse(client, "POST", f"/conversations/{conversation}/messages", params={"project": project},
                     json={"role": "user", "text": text}) as source:
        check(f"{project}: the response to a message is a stream", source.response.status_code == 200, source.response)
        for event in source.iter_sse():
            check(f"{project}: the stream is ASCII", event.data.isascii(), event.data)
            events.append(json.loads(event.data))
    return events


def is_error(answer, status):
    error = answer.json().get("error", {}) if answer.status_code == status else {}
    return set(error) == {"code", "message", "details"}


def contract(client, project):
    def ask(method, path, **options):
        params = {"project": project, **options.pop("params", {})}
        return client.request(method, path, params=params, **options)

    def check_that(what, is_true, seen=""):
        check(f"{project}: {what}", is_true, seen)

    models = ask("GET", "/models").json()
    check_that("the response with the models is a JSON array", isinstance(models, list) and models
               and all(isinstance(m["id"], str) and isinstance(m["name"], str) for m in models), models)
    wanted = next((m["id"] for m in models if m["id"].endswith("/talk")), models[0]["id"])
    made = ask("POST", "/conversations", json={"model_id": wanted, "first_message": "The first message"})
    conversation = made.json().get("conversation", {})
    check_that("a conversation is created", made.status_code in (200, 201) and conversation.get("title") == "The first message"
               and conversation.get("modelId") == wanted and conversation.get("isPinned") is False
               and isinstance(conversation.get("messages"), list), made.text)
    own = conversation["id"]
    check_that("the conversation has an ID and dates", UUID.match(own) and DATE.match(conversation["createdAt"])
               and DATE.match(conversation["updatedAt"]), conversation)

    events = answer_to(client, project, own.upper(), "talk to me")
    text = "".join(event.get("deltaText", "") for event in events)
    check_that("all events name the same message and conversation", len({(e["conversationId"].lower(), e["messageId"]) for e in events})
               == 1 and events[0]["conversationId"].lower() == own.lower(), events[:2])
    check_that("only the last event has done", [bool(e.get("done")) for e in events]
               == [False] * (len(events) - 1) + [True], events[-2:])
    check_that("the events contain the whole text", text and events[-1].get("fullText", text) == text, events[-1])

    page = ask("GET", f"/conversations/{own}/messages", params={"limit": 1}).json()
    check_that("the first page has the newest message", [(m["role"], m["text"]) for m in page["items"]] == [("assistant", text)]
               and page["items"][0]["id"] == events[-1]["messageId"] and page["nextCursor"], page)
    older = ask("GET", f"/conversations/{own}/messages", params={"limit": 1, "cursor": page["nextCursor"]}).json()
    check_that("the second page has the older message", [(m["role"], m["text"]) for m in older["items"]] == [("user", "talk to me")], older)
    whole = ask("GET", f"/conversations/{own}/messages").json()["items"]
    check_that("within a page the oldest message is first", [m["role"] for m in whole] == ["user", "assistant"], whole)
    check_that("messages have dates", all(DATE.match(m["createdAt"]) for m in whole), whole)

    changed = ask("PATCH", f"/conversations/{own}", json={"title": "Another name", "is_pinned": True}).json()
    check_that("PATCH returns the renamed and pinned conversation", (changed["title"], changed["isPinned"]) == ("Another name", True),
               changed)
    found = ask("GET", "/conversations", params={"search": "another NAME", "limit": 10}).json()["items"]
    check_that("a search finds the conversation by its title", [c["id"] for c in found] == [own], found)
    copy = ask("POST", f"/conversations/{own}/duplicate").json()
    check_that("a copy has its own ID and is not pinned", copy["id"] != own and copy["isPinned"] is False, copy)
    ids = [[message["id"] for message in messages] for messages in (whole, copy["messages"])]
    check_that("the messages of a copy have their own IDs", not set(ids[0]) & set(ids[1]), ids)
    texts = [[message["text"] for message in messages] for messages in (whole, copy["messages"])]
    check_that("the messages of a copy have the same texts", texts[0] == texts[1], texts)
    first = ask("GET", "/conversations", params={"limit": 1}).json()
    second = ask("GET", "/conversations", params={"limit": 1, "cursor": first["nextCursor"]}).json()
    check_that("the list of conversations has pages", {first["items"][0]["id"], second["items"][0]["id"]} == {own, copy["id"]}, (first, second))

    check_that("a body that is not JSON is rejected in the contract's format",
               is_error(ask("POST", "/conversations", content=b"{", headers={"Content-Type": "application/json"}), 400))
    check_that("an invalid ID is rejected in the contract's format", is_error(ask("GET", "/conversations/none"), 400))
    for conversation in (own, copy["id"]):
        gone = ask("DELETE", f"/conversations/{conversation}")
        check_that("a conversation is deleted", gone.status_code == 204 and not gone.content, gone)
        check_that("a deleted conversation is not found", is_error(ask("GET", f"/conversations/{conversation}"), 404))


def doors():
    with httpx.Client(base_url=GATEWAY, timeout=LONGEST) as client:
        path = "/models?project=one"
        check("the gateway's own port requires a key", is_error(client.get(path), 401))
        check("the gateway's own port accepts the key", client.get(path, headers={"Authorization": f"Bearer {KEY}"}).status_code == 200)
    with httpx.Client(base_url=BASE, timeout=LONGEST) as client:
        check("a page of another origin needs a key", is_error(client.get(path, headers={"Origin": "https://example.com"}), 403))
        check("a request with another host name needs a key", is_error(client.get(path, headers={"Host": "example.com"}), 403))
        check("a request through a proxy needs a key", is_error(client.get(path, headers={"Forwarded": "for=192.0.2.1"}), 401))


doors()
for project in ("one", "two"):
    with httpx.Client(base_url=BASE, timeout=LONGEST) as client:
        contract(client, project)
sys.exit(done("conversations.py"))
