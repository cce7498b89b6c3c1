// Where the page of a report finds its data, its engine and its address: in itself, or, where the place of its data is
// empty, in the playground around it (playground.js), as window.guest: {report, state}.

// A section of the page has the same id.
const place = () => document.querySelector("script#data");

export const isGuest = () => place()?.textContent === "";
export const hostDocument = () => (isGuest() ? window.parent.document : document);
export const givenData = () => (isGuest() ? window.parent.guest.report : JSON.parse(place().textContent));

// A frame without an address of its own cannot change it.
export const readAddress = () => (isGuest() ? window.parent.guest.state : location.hash);
export function writeAddress(hash) {
  if (isGuest()) window.parent.guest.state = hash;
  else history.replaceState(null, "", hash);
}

// In the playground, a link to a place in the page would lead to the page around it.
export function keepLinks() {
  if (!isGuest()) return;
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    document.getElementById(link.getAttribute("href").slice(1))?.scrollIntoView();
  });
}
