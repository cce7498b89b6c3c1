// A script in the address of the playground: #model=NAME, as it is shipped, or #model=NAME&code=TEXT, changed. The text is
// compressed (raw deflate) and written in base64url.

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

export async function pack(script) {
  const bytes = await through(new TextEncoder().encode(script), new CompressionStream("deflate-raw"));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpack(code) {
  const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return new TextDecoder("utf-8", {fatal: true}).decode(await through(bytes, new DecompressionStream("deflate-raw")));
}

// {model, code}, each a text or null.
export function readHash(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  return {model: given.get("model"), code: given.get("code")};
}

export const writeHash = (model, code) => `#model=${encodeURIComponent(model)}${code ? `&code=${code}` : ""}`;
