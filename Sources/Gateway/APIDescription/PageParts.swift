// SPDX-License-Identifier: Apache-2.0

import GatewayCore

/// The style and the script of the documentation page. The page must contain both byte for byte, because its
/// Content-Security-Policy contains their hashes.
enum PageParts {
    /// The style, which is designed for narrow screens first. The style's colours follow the user's preference for
    /// light or dark.
    static let style = """
        :root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
        body{max-width:46rem;margin:0 auto;padding:1rem}
        h1{font-size:1.5rem}
        h2{font-size:1rem;overflow-wrap:anywhere}
        h2 b{color:#06c}
        code,pre{font-family:ui-monospace,monospace;font-size:.9em}
        section{border-top:1px solid #8886;padding:.5rem 0 1rem}
        table{border-collapse:collapse;width:100%;margin:.5rem 0}
        td{border-top:1px solid #8883;padding:.2rem .5rem .2rem 0;vertical-align:top}
        td:first-child{width:4rem}
        label{display:block;margin:.5rem 0}
        input{font:inherit;padding:.4rem;width:100%;box-sizing:border-box}
        button{font:inherit;padding:.4rem 1rem}
        pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#8882;padding:.5rem;max-height:20rem;overflow:auto}
        .note{font-size:.85rem;opacity:.8}
        @media(min-width:40rem){label{display:inline-block;width:48%}}
        """

    /// The script, which sends one request each time the user presses a button, and shows the response.
    static let script = """
        "use strict";
        const byId = (id) => document.getElementById(id);
        byId("settings").addEventListener("submit", (event) => event.preventDefault());
        for (const button of document.querySelectorAll("button[data-path]")) {
          button.addEventListener("click", async () => {
            const output = button.nextElementSibling;
            output.hidden = false;
            let path = button.dataset.path;
            if (path.includes("{name}")) {
              const name = byId("name").value;
              if (!name) { output.textContent = "Enter a project name above first."; return; }
              path = path.replace("{name}", encodeURIComponent(name));
            }
            path = path.replace("{path}", "session");
            const headers = byId("key").value ? { Authorization: "Bearer " + byId("key").value } : {};
            output.textContent = button.dataset.method + " " + path + " …";
            try {
              const answer = await fetch(path, { method: button.dataset.method, headers, credentials: "omit" });
              output.textContent = answer.status + " " + answer.statusText + "\\n" + (await answer.text()).slice(0, 20000);
            } catch (error) {
              output.textContent = String(error);
            }
          });
        }
        """
}
