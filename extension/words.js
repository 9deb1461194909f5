/** All that a person reads. */

const words = {
  title: 'Handset asks for your passkey',
  question: (host) => `Link your WhatsApp account to the Handset at ${host}?`,
  why: 'WhatsApp wants to see your passkey before it links a new device to your account.',
  warning:
    'Go on only if you have begun this linking yourself, just now. Whoever sent you here otherwise would get into your account.',
  plain: 'The way to this address is not encrypted (http). In a network that others use, that is not safe.',
  use: 'Use the passkey',
  cancel: 'Cancel',
  again: 'Try again',
  resend: 'Send again',
  asking: 'Your browser asks for the passkey…',
  sending: (host) => `Passing the answer on to ${host}…`,
  done: 'Done: the answer is with Handset, and your phone completes the linking.',
  compare:
    'If your phone shows a code, compare it with the code in Handset and confirm it there. You can close this tab.',
  cancelled: 'Nothing was sent. You can close this tab.',
  badTicket: 'This link is not complete. Open it again from Handset, or copy all of it.',
  notAllowed:
    'The browser gave no passkey: it was cancelled, it took too long, or neither this browser nor your phone has the passkey of this account.',
  noCredential: (detail) => `The browser gave no passkey: ${detail}`,
  unreachable: (host) =>
    `${host} cannot be reached from this browser. Is it running, and is this computer in its network?`,
  used: 'This link was used already or is too old (five minutes). Open a new one from Handset.',
  over: 'Handset does not wait for a passkey any more. Look there how far the linking is.',
  refused: (message) => `Handset could not use the answer: ${message}. Open a new link from Handset and try again.`,
};
