// SPDX-License-Identifier: Apache-2.0

// Reads a stream in a dedicated worker and posts its events to the page.
onmessage = ({ data: address }) => {
  const source = new EventSource(address);
  source.onopen = () => postMessage({ kind: "open", state: source.readyState });
  source.onmessage = (event) => {
    postMessage({ kind: "message", id: event.lastEventId, origin: event.origin });
    source.close();
  };
};
