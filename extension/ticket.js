/** The ticket in the address: what to ask for, where the answer goes, and the token that is good for one answer. */

const ticketMark = '#handset=';

const isTicket = ({ options, url, token }) => {
  if (typeof options?.challenge !== 'string' || typeof options.rpId !== 'string') return false;
  if (typeof token !== 'string' || !token.startsWith('hsp_') || !URL.canParse(url)) return false;
  // Nothing else may be made to receive an answer.
  const { protocol, pathname, search, username } = new URL(url);
  return /^https?:$/.test(protocol) && pathname.endsWith('/passkey/response') && search === '' && username === '';
};

/** Null for what is no ticket of this extension, or only a part of one. */
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

/** Takes the ticket out of the address, so that neither the page nor the history has it. Undefined when there is none. */
const takeTicket = () => {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(ticketMark)) return undefined;
  history.replaceState(null, '', pathname + search);
  return readTicket(hash);
};

/** Whether others in the same network could read what is sent there. */
const isReadable = (url) => {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname);
};
