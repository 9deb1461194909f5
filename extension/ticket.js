/** The ticket in the URL's hash: the WebAuthn options, the URL for the response, and a token for one response. */

const ticketMark = '#handset=';

const isTicket = ({ options, url, token }) => {
  if (typeof options?.challenge !== 'string' || typeof options.rpId !== 'string') return false;
  if (typeof token !== 'string' || !token.startsWith('hsp_') || !URL.canParse(url)) return false;
  // No other URL may receive a response.
  const { protocol, pathname, search, username } = new URL(url);
  return /^https?:$/.test(protocol) && pathname.endsWith('/passkey/response') && search === '' && username === '';
};

/** Null unless the hash is a complete ticket. */
const readTicket = (hash) => {
  try {
    const base64 = hash.slice(ticketMark.length).replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const ticket = JSON.parse(new TextDecoder().decode(bytes));
    return isTicket(ticket) ? ticket : null;
  } catch {
    return null;
  }
};

/** Removes the ticket from the URL, so that neither the page nor the history has it. Undefined without a ticket. */
const takeTicket = () => {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(ticketMark)) return undefined;
  history.replaceState(null, '', pathname + search);
  return readTicket(hash);
};

/** Whether others on the same network could read the response. */
const isReadable = (url) => {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname);
};
