// Browsers start no worker from a file. This one runs the search in a hidden frame instead; it is loaded only if the
// site is opened from a folder.
window.Worker = class extends EventTarget {
  constructor(url) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.appendChild(frame);
    const inside = frame.contentWindow;
    this.inside = inside;
    inside.postMessage = (data) => {
      const message = new MessageEvent("message", {data});
      this.dispatchEvent(message);
      if (this.onmessage) this.onmessage(message);
    };
    this.ready = new Promise((done) => {
      const script = inside.document.createElement("script");
      script.src = url;
      script.onload = done;
      inside.document.body.appendChild(script);
    });
  }
  postMessage(data) {
    this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", {data})));
  }
  terminate() {
    this.inside.frameElement.remove();
  }
};
