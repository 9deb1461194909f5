/** Every text that people read in the extension. */

const words = {
  title: 'Handset needs your passkey',
  question: (host) => `Link your WhatsApp account to the Handset at ${host}?`,
  why: 'WhatsApp requires your passkey to link a new device to your account.',
  warning:
    'Only continue if you started linking a device yourself just now. Otherwise, whoever sent you here gains access to your account.',
  plain: 'The connection to this address is not encrypted (http). That is not safe on a shared network.',
  use: 'Use passkey',
  cancel: 'Cancel',
  again: 'Try again',
  resend: 'Send again',
  asking: 'Waiting for your passkey…',
  sending: (host) => `Sending the response to ${host}…`,
  done: 'Done. Handset has the response, and your phone completes the link.',
  compare:
    'If your phone shows a code, compare it with the code in Handset and confirm it there. You can close this tab.',
  cancelled: 'Nothing was sent. You can close this tab.',
  badTicket: 'This link is incomplete. Open it from Handset again, or copy the whole link.',
  notAllowed:
    'The browser returned no passkey. You cancelled, it took too long, or neither this browser nor your phone has a passkey for this account.',
  noCredential: (detail) => `The browser returned no passkey: ${detail}`,
  unreachable: (host) =>
    `${host} cannot be reached from this browser. Check that it is running and that this computer is on the same network.`,
  used: 'This link has already been used or is more than five minutes old. Open a new one from Handset.',
  over: 'Handset is no longer waiting for a passkey. Check the status of the device there.',
  refused: (message) => `Handset rejected the response: ${message}. Open a new link from Handset and try again.`,
};
