# SPDX-License-Identifier: Apache-2.0

"""Tests the complete chat protocol with `websockets` and a project of each family."""
import asyncio
import base64
import http.client
import json
import os
import re
import sys
import time
import uuid

import websockets
from checks import DATE, UUID, check, done
from websockets.asyncio.client import connect

CHAT = os.environ["CHAT"]
GATEWAY = os.environ["GATEWAY"].replace("http://", "ws://", 1)
KEY = os.environ["GATEWAY_KEY"]
LONGEST = 30
TURN = re.compile(r"((thinking_chunk )+thinking_done |assistant_chunk |tool_call_start |tool_call_done )+assistant_done $")


class Talk:
    def __init__(self, socket, project):
        self.socket, self.project = socket, project

    def check(self, what, is_true, seen=""):
        check(f"{self.project}: {what}", is_true, seen)

    async def say(self, kind, **members):
        await self.socket.send(json.dumps({"type": kind, **members}))

    async def hear(self, wanted=None):
        message = json.loads(await asyncio.wait_for(self.socket.recv(), LONGEST))
        if wanted:
            self.check(f"the next message is {wanted}", message["type"] == wanted, message)
        return message

    async def hear_turn(self):
        """Returns all messages up to the end of the turn, and grants the permissions that its tool calls need."""
        messages = []
        try:
            while not messages or messages[-1]["type"] != "assistant_done":
                messages.append(await self.hear())
                if messages[-1]["type"] == "tool_call_start":
                    await asyncio.to_thread(self.allow)
        except TimeoutError:
            self.check("a turn ends", False, messages)
            raise
        return messages

    def allow(self):
        """Answers a permission request through OpenCode's own API, because the chat has no message for it."""
        api = f"/projects/{self.project}/api"
        until = time.monotonic() + LONGEST
        while time.monotonic() < until:
            asked = rest("GET", f"{api}/permission" if self.project == "one" else f"{api}/api/permission/request")
            asked = asked if isinstance(asked, list) else asked["data"]
            for one in asked:
                if self.project == "one":
                    rest("POST", f"{api}/session/{one['sessionID']}/permissions/{one['id']}", {"response": "once"})
                else:
                    rest("POST", f"{api}/api/session/{one['sessionID']}/permission/{one['id']}/reply", {"decision": "once"})
            if asked:
                return
            time.sleep(0.05)
        self.check("a permission is requested", False)

    async def ask(self, kind, wanted, **members):
        await self.say(kind, **members)
        return await self.hear(wanted)


def rest(method, path, body=None):
    connection = http.client.HTTPConnection(GATEWAY.removeprefix("ws://"), timeout=LONGEST)
    fields = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    connection.request(method, path, None if body is None else json.dumps(body), fields)
    content = connection.getresponse().read()
    connection.close()
    return json.loads(content) if content else None


def text_of(messages):
    return "".join(message["content"] for message in messages if message["type"] == "assistant_chunk")


async def turn(talk, words):
    """Creates a conversation with an ID that the client chooses, and checks the messages of its first turn. Returns the ID, the
    prompt and the messages.
    """
    own = str(uuid.uuid4()).upper()
    prompt = f"{words} of {own} and of more than fifty characters"
    await talk.say("user_message", conversationId=own, content=prompt)
    messages = await talk.hear_turn()
    order = "".join(message["type"] + " " for message in messages)
    talk.check(f"{words}: the messages arrive in the documented order", TURN.match(order), order)
    talk.check(f"{words}: all messages name the conversation", all(m["conversationId"] == own for m in messages), messages)
    talk.check(f"{words}: the answer has an ID", messages[-1].get("id"), messages[-1])
    for message in messages:
        if message["type"] == "thinking_done":
            seconds = message["metadata"]["thinkingDuration"]
            talk.check("a duration has a fraction", isinstance(seconds, float) and seconds != int(seconds), seconds)
    return own, prompt, messages


async def conversation(project):
    async with connect(f"{CHAT}/?project={project}") as socket:
        talk = Talk(socket, project)
        talk.check("no extension is negotiated", socket.protocol.extensions == [])
        status = (await talk.hear("status"))["metadata"]
        talk.check("the status has the documented fields",
                   status["connected"] is True and isinstance(status["hasApiKey"], bool) and status["workflowCount"] == 0
                   and isinstance(status["toolCount"], int) and isinstance(status["daemonVersion"], str), status)
        await talk.ask("list_conversations", "conversation_list")
        made = await talk.ask("new_conversation", "conversation_created")
        talk.check("a new conversation has an ID and a title",
                   UUID.match(made["conversationId"]) and isinstance(made["metadata"]["title"], str), made)
        own, prompt, messages = await turn(talk, "think")
        talk.check("the turn has thinking chunks", any(m["type"] == "thinking_chunk" for m in messages))
        await talk.ask("ping", "pong")

        loaded = await talk.ask("load_conversation", "conversation_loaded", conversationId=own.lower())
        talk.check("the ID has the client's capitalisation", loaded["conversationId"] == own, loaded)
        kept = loaded["metadata"]["messages"]
        talk.check("both messages are loaded", [(m["role"], m["content"]) for m in kept]
                   == [("user", prompt), ("assistant", text_of(messages))], kept)
        talk.check("dates have no fractions", all(DATE.match(m["timestamp"]) for m in kept), kept)
        listed = (await talk.ask("list_conversations", "conversation_list"))["metadata"]["conversations"]
        found = next((c for c in listed if c["id"] == own), {})
        talk.check("the list has the first fifty characters and the number of messages",
                   found.get("title") == prompt[:50] and found.get("messageCount") == 2
                   and DATE.match(found.get("lastMessageAt", "")), found)

        tools = (await turn(talk, "tools"))[2]
        begun = [m for m in tools if m["type"] == "tool_call_start"]
        ended = [m for m in tools if m["type"] == "tool_call_done"]
        talk.check("each started tool call ends", begun and [m["id"] for m in begun] == [m["id"] for m in ended], tools)
        for message in begun:
            data = message["metadata"]
            talk.check("a tool call has a name, a server and an input", data["toolName"] and data["serverName"] and isinstance(data["input"], dict), data)
        for message in ended:
            data = message["metadata"]
            talk.check("a finished tool call has a result and a duration", isinstance(data["success"], bool) and isinstance(data["duration"], float)
                       and data["duration"] != int(data["duration"]) and len(data.get("result") or "") <= 4100, data)

        async with connect(f"{CHAT}/?project={project}") as second:
            other = Talk(second, project)
            await other.hear("status")
            await other.ask("load_conversation", "conversation_loaded", conversationId=own)
            await talk.say("user_message", conversationId=own, content="talk once more")
            here, there = await asyncio.gather(talk.hear_turn(), other.hear_turn())
            talk.check("two sockets receive the same messages", here == there, (here, there))

        await refusals(talk, own)
        for conversation in (own, made["conversationId"]):
            gone = await talk.ask("delete_conversation", "conversation_deleted", conversationId=conversation)
            talk.check("the requested conversation is deleted", gone["conversationId"] == conversation, gone)
        error = await talk.ask("load_conversation", "error", conversationId=own)
        talk.check("a deleted conversation cannot be loaded", error["metadata"]["code"] == "STORAGE_ERROR", error)
        await socket.send(b"no text")
        try:
            await asyncio.wait_for(socket.recv(), LONGEST)
            talk.check("a binary message closes the socket", False)
        except websockets.ConnectionClosed as closed:
            talk.check("a binary message closes the socket with 1003", closed.rcvd and closed.rcvd.code == 1003, closed)


async def refusals(talk, own):
    for message, code in [
        ("no JSON", "INVALID_MESSAGE"), ("[]", "INVALID_MESSAGE"), ('{"type":"sing"}', "UNKNOWN_TYPE"),
        ('{"type":"user_message","content":"hi"}', "MISSING_FIELD"),
        ('{"type":"user_message","conversationId":"%s"}' % own, "MISSING_FIELD"),
        ('{"type":"user_message","conversationId":"no-uuid","content":"hi"}', "INVALID_MESSAGE"),
        ('{"type":"load_conversation","conversationId":"%s"}' % uuid.uuid4(), "STORAGE_ERROR"),
        ('{"type":"delete_conversation","conversationId":"%s"}' % uuid.uuid4(), "STORAGE_ERROR"),
    ]:
        await talk.socket.send(message)
        error = await talk.hear("error")
        talk.check(f"{message} is answered with {code}", error["metadata"]["code"] == code and error["content"], error)


async def status_of(url, **options):
    try:
        async with connect(url, **options):
            return 101
    except websockets.InvalidStatus as refused:
        return refused.response.status_code


async def doors():
    coded = "vibe." + base64.urlsafe_b64encode(KEY.encode()).decode().rstrip("=")
    for subprotocol in ("vibe." + KEY, coded):
        async with connect(f"{GATEWAY}/chat?project=one", subprotocols=["other", subprotocol]) as socket:
            check("the server selects the subprotocol with the key", socket.subprotocol == subprotocol, socket.subprotocol)
    keyed = {"additional_headers": {"Authorization": f"Bearer {KEY}"}}
    check("the gateway's own port accepts a request with a key", await status_of(f"{GATEWAY}/chat?project=one", **keyed) == 101)
    check("the gateway's own port rejects a request without a key", await status_of(f"{GATEWAY}/chat?project=one") == 401)
    check("an unknown project is rejected", await status_of(f"{CHAT}/?project=nobody") == 404)
    check("a page of another origin needs a key", await status_of(f"{CHAT}/?project=one", origin="https://example.com") == 403)
    forwarded = {"additional_headers": {"X-Forwarded-For": "192.0.2.1"}}
    check("a request through a proxy needs a key", await status_of(f"{CHAT}/?project=one", **forwarded) == 401)


async def main():
    await doors()
    for project in ("one", "two"):
        await conversation(project)


asyncio.run(main())
sys.exit(done("chat.py"))
