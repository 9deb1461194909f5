/** Error messages, each with the operations that answer it (docs/spec/http-interface.md, Errors). */
import { numberRule } from '../../domain/jid.ts';
import type { ErrorCode, Operation } from '../wire/operation.ts';

type Applies = (op: Operation) => boolean;

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly Schema[];
}

const namesIn = ({ properties = {}, anyOf = [] }: Schema): readonly string[] => [
  ...Object.keys(properties),
  ...anyOf.flatMap(namesIn),
];

const always: Applies = () => true;
const takesBody: Applies = ({ body }) => body !== undefined;
const takes =
  (...names: readonly string[]): Applies =>
  ({ body }) => {
    const known = namesIn(body?.schema ?? {});
    return names.every((name) => known.includes(name));
  };
const queries =
  (name: string): Applies =>
  ({ query }) =>
    namesIn(query ?? {}).includes(name);
const inPath =
  (name: string): Applies =>
  ({ path }) =>
    path.includes(`{${name}}`);
const only =
  (...ids: readonly string[]): Applies =>
  ({ id }) =>
    ids.includes(id);
const once: Applies = ({ headers = {} }) => 'Idempotency-Key' in headers;
const atOwner: Applies = (op) => op.atOwner === true;
/** Only with an open session. */
const connected: Applies = ({ errors }) => errors.includes(422);
const sharesSettings = only('updateChat', 'setStar', 'updateContact', 'updateProfile');
const stores: Applies = ({ method }) => method !== 'GET';
const either =
  (one: Applies, other: Applies): Applies =>
  (op) =>
    one(op) || other(op);
const both =
  (one: Applies, other: Applies): Applies =>
  (op) =>
    one(op) && other(op);
const mayExceedLimit = only('createDevice', 'updateDevice', 'importUserDevice', 'updateAnyDevice');
const writesToPerson: Applies = (op) => op.sends === true;
const sendsText = only('sendText');
const sendsImage = only('sendMedia', 'setProfilePicture', 'setGroupPicture');
const sendsFile: Applies = (op) => op.sends === true && takes('mediaUrl')(op);
const notFound = (thing: string, applies: Applies): readonly [string, Applies] => [`${thing} not found`, applies];

/** In the order of the documentation. */
export const errorMessages: Readonly<Record<ErrorCode, readonly (readonly [message: string, applies: Applies])[]>> = {
  400: [
    ['Invalid JSON format', takesBody],
    [`toNumber must be ${numberRule}`, takes('toNumber')],
    ['Exactly one of to and toNumber must be given; both are missing', takes('to', 'toNumber')],
    ['Exactly one of mediaUrl and mediaBase64 must be given, not both', only('setProfilePicture', 'setGroupPicture')],
    ['Exactly one of mediaUrl, mediaBase64 and fileId must be given; all are missing', takes('fileId')],
    [
      'fileId is not known: an uploaded file is kept for an hour, for the device and the user of its upload, and not beyond a restart of the service; upload it again',
      takes('fileId'),
    ],
    ['The file is empty: the body has no bytes', only('uploadFile')],
    ['Unknown field "mesage"; did you mean "message"?', sendsText],
    ['Invalid image format (only PNG, JPEG, GIF, WebP allowed)', sendsImage],
    ['mediaUrl was answered with HTTP 404', takes('mediaUrl')],
    ['mediaBase64 is the word "null" and no file; give the content of the file in base64', takes('mediaBase64')],
    [
      'The file does not begin as a PDF does: it is an HTML page, as a sign-in or an error is answered',
      only('sendDocument'),
    ],
    ['toNumber is not on the network: no account has this number', both(takes('toNumber'), connected)],
    ['to is not on the network: there is no such account', both(takes('to'), connected)],
    ['to cannot be written to: the account is not in this group', both(takes('to'), connected)],
    ['chat cannot be written to: the account is not in this group', only('setTyping', 'markRead')],
    ['Image is damaged or ends too early', sendsImage],
    ['Image has too many pixels; at most 50 megapixels are sent', sendsImage],
    ['quotedMessageId is not a message of this chat', takes('quotedMessageId')],
    ['Only texts and captions can be edited', only('editMessage')],
    ['The message is older than 15 minutes and can no longer be edited', only('editMessage')],
    ['The message is older than 60 hours and can no longer be deleted for everyone', only('deleteMessage')],
    ['reaction must be one emoji, or null', only('setReaction')],
    ['View-once messages cannot be forwarded', only('forwardMessage')],
    ['maxAnswers must not be more than there are options', takes('maxAnswers')],
    [
      'chat must be the digits of a phone number, or a JID: <digits>@s.whatsapp.net, <digits>@lid or <id>@g.us',
      either(inPath('chat'), queries('chat')),
    ],
    [
      'person must be the digits of a phone number, or the JID of a person: <digits>@s.whatsapp.net or <digits>@lid',
      inPath('person'),
    ],
    ['The call has ended: nobody answered', only('rejectCall')],
    ['format must be png, svg or text', only('getQr')],
    ['group must be the JID of a group: <id>@g.us', inPath('group')],
    ['The account is not a member of this group', only('leaveGroup')],
    [
      'invite must be the link of a group (https://chat.whatsapp.com/…), or its code',
      only('joinGroup', 'previewInvite'),
    ],
    ['The person does not ask to join this group', only('decideRequest')],
    ['members names 4915112345678 twice', takes('members')],
    ['phoneNumber must be a number that is on the network', takes('phoneNumber')],
    ['mutedUntil must be in the future; null ends a mute', takes('mutedUntil')],
    [`numbers must be separated by commas, each ${numberRule}`, queries('numbers')],
    [
      'webhookEvents has an unknown event kind "message.recieved"; the kinds are connection.open, connection.closed, connection.auth, connection.timeout, connection.logout, message.received, message.sent, message.updated, message.deleted, call',
      takes('webhookEvents'),
    ],
    ["primary is the device's own webhook: set webhookUrl to null by PUT /devices/7 to stop it", only('deleteWebhook')],
    ['events must have at least one event kind', takes('events')],
    ['Idempotency-Key was used before with another request', once],
    ['The device is inactive; set subscription_status to active first', only('restartDevice')],
    ['Device has no webhookUrl; set it before testing the webhook', only('testWebhook')],
    ['The webhook is not enabled; enable it before testing it', only('testAdditionalWebhook', 'testAccountWebhook')],
    ['Accept must be text/event-stream; the events of one device come by pages as well', only('streamEvents')],
    ['limit must be a whole number from 1 to 1000', queries('limit')],
    ['cursor must be a nextCursor that this list gave', queries('cursor')],
    ['after must be the id of an event of this device', queries('after')],
    ['since must not be after until', both(queries('since'), queries('until'))],
    ['expiresAt must be in the future', takes('expiresAt')],
  ],
  401: [['Missing or invalid authorization header; a Bearer token is required', always]],
  403: [
    ['Device limit reached; 10 active devices, and your subscription allows 10', mayExceedLimit],
    ['This number is on your suppression list. Remove it from the list to send again', writesToPerson],
  ],
  404: [
    notFound('Device', either(inPath('id'), inPath('deviceId'))),
    ['Device 7 is not connected', both(inPath('id'), connected)],
    notFound('Message', inPath('messageId')),
    notFound('Media', only('getMessageMedia')),
    notFound('Poll', only('getMessagePoll')),
    notFound('QR', only('getQr')),
    notFound('Passkey', only('getPasskey')),
    notFound('Chat', only('getChat', 'updateChat', 'markRead', 'loadHistory')),
    notFound('Contact', only('getContact')),
    notFound('Picture', ({ id }) => /^get\w+Picture$/.test(id)),
    notFound('Group', inPath('group')),
    notFound('Call', inPath('callId')),
    notFound('Event', inPath('eventId')),
    notFound('Webhook', inPath('webhookId')),
    notFound('Delivery', inPath('deliveryId')),
    notFound('Suppression', only('deleteSuppression')),
    notFound('Key', inPath('keyId')),
    notFound('User', inPath('userId')),
  ],
  408: [['Request timeout', always]],
  409: [
    ['A request with this Idempotency-Key is still running', once],
    ['A user with this name exists already', takes('deviceLimit')],
    ['The user still has devices; delete them first', only('deleteUser')],
    ['No passkey response is expected now', only('respondToPasskey')],
    ['The device has 100 webhooks, which is the most; delete one first', only('createWebhook')],
    ['The account has 100 webhooks, which is the most; delete one first', only('createAccountWebhook')],
    ['The phone has not shared its settings yet: open the app on it, and try again', sharesSettings],
    ['There is no code to compare now', only('confirmPasskey')],
  ],
  413: [['Request payload too large', always]],
  416: [['The file has 70000 bytes; the range begins behind its end', always]],
  422: [['Device is not fully authenticated; scan the QR code to complete the connection', always]],
  429: [
    ['Rate limit exceeded; maximum 100 requests per minute per user', always],
    [
      'Too much is uploaded: at most 64 files with 500 MB together are kept for a user, each for an hour',
      only('uploadFile'),
    ],
  ],
  500: [
    ['Internal server error', always],
    ['The device could not be paired: item-not-found', only('createDevice', 'restartDevice')],
    ['Failed to send message', (op) => op.sends === true && !takes('mediaUrl')(op)],
    ['Failed to send media message', sendsFile],
    ['Failed to send media message: the host of mediaUrl answered HTTP 503', sendsFile],
    ["Failed to fetch the media: the network's media host answered HTTP 503", only('getMessageMedia')],
    ['Failed to restart device 7', only('restartDevice')],
    ['Failed to disconnect device 7', only('disconnectDevice', 'deleteDevice')],
  ],
  503: [
    ['The database is not available; try again in a few seconds, a send with its Idempotency-Key', always],
    ['The device is moving to another node; try again in a few seconds', atOwner],
    ['The disk of the service is full; try again later', stores],
    [
      'web.whatsapp.com cannot be reached: DNS does not resolve its name (ENOTFOUND); "handset doctor" on the machine of the service looks for the cause',
      only('createDevice', 'restartDevice'),
    ],
    [
      'The node that has the device was lost during the request; try again in a few seconds, a send with its Idempotency-Key',
      atOwner,
    ],
  ],
};
