// SPDX-License-Identifier: Apache-2.0

/// The page that pairs a browser with the code in the page's address. The code is in the fragment, which a browser sends to no
/// server, so that no log contains it.
enum PairPage {
    /// The path of the page.
    static let path = "/-/pair"

    /// The page.
    static let html = Page.html(
        title: "Pair this device",
        """
        <h1>Pair this device</h1>
        <p>This gives the browser a key of its own for the VibeRemote gateway.</p>
        <p id="error" class="error" role="alert" hidden></p>
        <noscript><p class="error">This page needs JavaScript.</p></noscript>
        <form id="form">
        <label for="code">Pairing code</label>
        <input id="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required>
        <label for="name">Name of this device</label>
        <input id="name" autocomplete="off" maxlength="64" value="browser" required>
        <button id="pair" type="submit">Pair</button>
        </form>
        <section id="done" hidden>
        <p>This device is paired as <strong id="paired"></strong>.</p>
        <p><a class="button" href="login">Continue</a></p>
        <details><summary>Key for an app on this device</summary>
        <p>Only this page shows the key. Any program that has the key can use it.</p>
        <p><code id="key"></code></p></details>
        </section>
        """, script: script)

    /// The script, which sends the code and then signs the browser in.
    static let script = """
        "use strict";
        const byId = (id) => document.getElementById(id);
        byId("code").value = location.hash.slice(1);
        // The history of the browser must not contain the code.
        history.replaceState(null, "", location.pathname);
        const post = async (path, body) => {
          const response = await fetch(path, {
            method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
          const text = await response.text();
          let value = {};
          try { value = JSON.parse(text); } catch {}
          if (!response.ok) throw new Error(value.detail || `The gateway responded with the status ${response.status}.`);
          return value;
        };
        byId("form").addEventListener("submit", async (event) => {
          event.preventDefault();
          byId("pair").disabled = true;
          byId("error").hidden = true;
          try {
            const key = await post("pair", {code: byId("code").value, name: byId("name").value});
            byId("key").textContent = key.key;
            byId("paired").textContent = key.name;
            byId("form").hidden = true;
            byId("done").hidden = false;
            await post("login", {key: key.key});
          } catch (error) {
            byId("error").textContent = error.message;
            byId("error").hidden = false;
          }
          byId("pair").disabled = false;
        });
        """
}
