/** Errors by name, each with its status code and message (docs/spec/http-interface.md, Errors). */
import { numberRule, numbersRule } from '../domain/jid.ts';
import { usernameRule } from '../domain/chats/usernames.ts';
import { membersOf } from './build.ts';

export type ErrorCode = 400 | 401 | 403 | 404 | 408 | 409 | 413 | 416 | 422 | 429 | 500 | 503;
interface Shape {
  readonly id: string;
  readonly method: string;
  readonly action: string;
  readonly path: string;
  readonly body?: { readonly schema: object } | undefined;
  readonly query?: object | undefined;
  readonly headers?: object;
  readonly takesFile?: boolean;
  readonly ranges?: boolean;
  readonly atOwner?: boolean;
  readonly connected?: boolean;
  readonly sends?: boolean;
  readonly errors?: readonly ErrorName[];
}

type When = (op: Shape) => boolean;

const always: When = () => true;
const takesBody: When = ({ body }) => body !== undefined;
const takes =
  (...names: readonly string[]): When =>
  ({ body }) => {
    const known = membersOf(body?.schema);
    return names.every((name) => known.includes(name));
  };
const queries =
  (name: string): When =>
  ({ query }) =>
    membersOf(query).includes(name);
const inPath =
  (...names: readonly string[]): When =>
  ({ path }) =>
    names.some((name) => path.includes(`{${name}}`));
const once: When = ({ headers = {} }) => 'Idempotency-Key' in headers;
const ofScheduled: When = ({ path }) => path.includes('/scheduled/');
const atOwner: When = (op) => op.atOwner === true;
const connected: When = (op) => op.connected === true;
const sends: When = (op) => op.sends === true;
const sendsFile: When = (op) => sends(op) && takes('mediaUrl')(op);
const both = (one: When, other: When) => (op: Shape) => one(op) && other(op);

/** Without a condition, only for operations that name it. */
const error = <const Code extends ErrorCode>(code: Code, message: string, when: When = () => false) => ({
  code,
  message,
  when,
});

const full = (whose: string, what: string): string => `The ${whose} has the maximum of ${what} one first`;

const table = {
  invalidJson: error(400, 'Invalid JSON format', takesBody),
  toNumberRule: error(400, `toNumber must be ${numberRule}`, takes('toNumber')),
  numberRule: error(
    400,
    'number must be the digits of a phone number, or the JID of a person: <digits>@s.whatsapp.net or <digits>@lid',
    inPath('number'),
  ),
  oneRecipient: error(
    400,
    'Exactly one of to, toNumber and toUsername must be given; all are missing',
    takes('to', 'toNumber'),
  ),
  oneSource: error(400, 'Exactly one of mediaUrl and mediaBase64 must be given, not both'),
  oneFile: error(
    400,
    'Exactly one of mediaUrl, mediaBase64 and fileId must be given; all are missing',
    takes('fileId'),
  ),
  fileUnknown: error(
    400,
    'fileId is not known: an uploaded file is kept for an hour, for the device and the user of its upload, and not beyond a restart of the service; upload it again',
    takes('fileId'),
  ),
  nobodySees: error(400, 'The status would be seen by nobody: its audience is empty', takes('audience')),
  noContact: error(
    400,
    'audience.only[0] is nobody in the address book of the account: statuses are for its contacts',
    takes('audience'),
  ),
  notOwnStatus: error(400, 'The status is of somebody else'),
  ownStatus: error(400, 'The status is of the account itself'),
  noReadReceipts: error(400, 'The device gives no read receipts: its setting readReceipts is off'),
  channelRule: error(400, 'channel must be the JID of a channel (<digits>@newsletter), or its link', inPath('channel')),
  fileEmpty: error(400, 'The file is empty: the body has no bytes'),
  unknownField: error(400, 'Unknown field "mesage"; did you mean "message"?'),
  sendAtRule: error(400, 'sendAt must be in the future', takes('sendAt')),
  invalidImage: error(400, 'Invalid image format (only PNG, JPEG, GIF, WebP allowed)'),
  mediaUrlFailed: error(400, 'mediaUrl was answered with HTTP 404', takes('mediaUrl')),
  noFileInBase64: error(
    400,
    'mediaBase64 is the word "null", not a file; send the content of the file in base64',
    takes('mediaBase64'),
  ),
  notThatKind: error(400, 'The file is not a PDF: it is an HTML page, perhaps a sign-in page or an error'),
  numberNotOnNetwork: error(
    400,
    'toNumber is not on the network: no account has this number',
    both(takes('toNumber'), connected),
  ),
  usernameRule: error(400, `toUsername must be a username: ${usernameRule}`, takes('toUsername')),
  usernameUnknown: error(400, 'nobody has this username', both(takes('toUsername'), connected)),
  usernameKeyRequired: error(
    400,
    'this person asks for a key: usernameKey is missing, or another one',
    both(takes('toUsername'), connected),
  ),
  accountNotOnNetwork: error(400, 'to is not on the network: there is no such account', both(takes('to'), connected)),
  groupNotWritable: error(
    400,
    'to cannot be written to: the account is not in this group',
    both(takes('to'), connected),
  ),
  chatNotWritable: error(400, 'chat cannot be written to: the account is not in this group'),
  imageDamaged: error(400, 'Image is damaged or ends too early'),
  imageTooLarge: error(400, 'Image has too many pixels; at most 50 megapixels are sent'),
  quotedUnknown: error(400, 'quotedMessageId is not a message of this chat', takes('quotedMessageId')),
  notEditable: error(400, 'Only texts and captions can be edited'),
  tooOldToEdit: error(400, 'The message is older than 15 minutes and can no longer be edited'),
  tooOldToDelete: error(400, 'The message is older than 60 hours and can no longer be deleted for everyone'),
  reactionRule: error(400, 'reaction must be one emoji, or null'),
  viewOnce: error(400, 'View-once messages cannot be forwarded'),
  maxAnswersRule: error(400, 'maxAnswers must not be more than there are options', takes('maxAnswers')),
  chatRule: error(
    400,
    'chat must be the digits of a phone number, or a JID: <digits>@s.whatsapp.net, <digits>@lid or <id>@g.us',
    (op) => inPath('chat')(op) || queries('chat')(op),
  ),
  personRule: error(
    400,
    'person must be the digits of a phone number, or the JID of a person: <digits>@s.whatsapp.net or <digits>@lid',
    inPath('person'),
  ),
  callEnded: error(400, 'The call has ended: nobody answered'),
  formatRule: error(400, 'format must be png, svg or text'),
  groupRule: error(400, 'group must be the JID of a group: <id>@g.us', inPath('group')),
  communityRule: error(400, 'community must be the JID of a community: <id>@g.us', inPath('community')),
  notACommunity: error(400, 'community is a group and not a community', inPath('community')),
  linkRefused: error(400, 'The network refuses it: the group is in a community already'),
  lastAdministrator: error(400, 'Name another administrator of this community first, or end it'),
  notAMember: error(400, 'The account is not a member of this group'),
  inviteRule: error(400, 'invite must be the link of a group (https://chat.whatsapp.com/…), or its code'),
  noRequest: error(400, 'This person has not asked to join the group'),
  memberTwice: error(400, 'members names 4915112345678 twice', takes('members')),
  phoneNotOnNetwork: error(400, "This number isn't on WhatsApp. Check the country code", takes('phoneNumber')),
  mutedUntilRule: error(400, 'mutedUntil must be in the future; null ends a mute', takes('mutedUntil')),
  labelOwn: error(
    400,
    'This label is the app’s own: only labels that were made by the owner of the account can be changed or deleted',
  ),
  labelUnknown: error(400, 'labels names 99, and the account has no such label'),
  labelNotGiven: error(400, 'labels: 3 is a list that the app keeps by itself; only its owner’s phone changes it'),
  numbersRule: error(400, `numbers ${numbersRule}`, queries('numbers')),
  kindUnknown: error(
    400,
    'webhookEvents has an unknown event kind "message.recieved"; the kinds are connection.open, connection.closed, connection.auth, connection.timeout, connection.logout, message.received, message.sent, message.updated, message.deleted, call',
    takes('webhookEvents'),
  ),
  primaryStays: error(
    400,
    "primary is the device's own webhook: set webhookUrl to null by PUT /devices/7 to stop it",
    ({ id }) => id === 'deleteWebhook',
  ),
  eventsRule: error(400, 'events must have at least one event kind', takes('events')),
  keyReused: error(400, 'Idempotency-Key was used before with another request', once),
  deviceInactive: error(400, 'The device is inactive; set subscription_status to active first'),
  deviceActive: error(400, 'The device is active; only a device that was exported, which stops it, can be forgotten'),
  notLinkedYet: error(400, 'The device is not linked; there is nothing to move'),
  noWebhookUrl: error(400, 'Device has no webhookUrl; set it before testing the webhook'),
  webhookDisabled: error(400, 'The webhook is not enabled; enable it before testing it'),
  streamsOnly: error(400, 'Accept must be text/event-stream; the events of one device come by pages as well'),
  limitRule: error(400, 'limit must be a whole number from 1 to 1000', queries('limit')),
  cursorRule: error(400, 'cursor must be a nextCursor of this list', queries('cursor')),
  afterRule: error(400, 'after must be the id of an event of this device', queries('after')),
  sinceRule: error(400, 'since must not be after until', both(queries('since'), queries('until'))),
  expiresAtRule: error(400, 'expiresAt must be in the future', takes('expiresAt')),
  unauthorized: error(401, 'Missing or invalid authorization header; a Bearer token is required', always),
  keyNotPermitted: error(
    403,
    'This key may not do this: it needs the action send',
    ({ action }) => action !== 'any' && action !== 'operator',
  ),
  deviceLimitReached: error(403, 'Device limit reached; 10 active devices, and your subscription allows 10'),
  optedOut: error(
    403,
    'This number is on your suppression list. Remove it from the list to send again',
    (op) => sends(op) && op.method !== 'DELETE',
  ),
  channelNotWritable: error(403, 'The account is not an administrator of this channel'),
  deviceNotFound: error(404, 'Device not found', inPath('id', 'deviceId')),
  notConnected: error(404, 'Device 7 is not connected', connected),
  messageNotFound: error(404, 'Message not found', (op) => inPath('messageId')(op) && !ofScheduled(op)),
  scheduledNotFound: error(404, 'Scheduled message not found', (op) => inPath('messageId')(op) && ofScheduled(op)),
  statusNotFound: error(404, 'Status not found', inPath('statusId')),
  mediaNotFound: error(404, 'Media not found'),
  pollNotFound: error(404, 'Poll not found'),
  qrNotFound: error(404, 'QR not found'),
  passkeyNotFound: error(404, 'Passkey not found'),
  chatNotFound: error(404, 'Chat not found'),
  labelNotFound: error(404, 'Label not found', inPath('labelId')),
  contactNotFound: error(404, 'Contact not found'),
  pictureNotFound: error(404, 'Picture not found', ({ id }) => /^get\w+Picture$/.test(id)),
  channelNotFound: error(404, 'Channel not found', inPath('channel')),
  postNotFound: error(404, 'Post not found', inPath('serverId')),
  groupNotFound: error(404, 'Group not found', inPath('group')),
  communityNotFound: error(404, 'Community not found', inPath('community')),
  callNotFound: error(404, 'Call not found', inPath('callId')),
  eventNotFound: error(404, 'Event not found', inPath('eventId')),
  webhookNotFound: error(404, 'Webhook not found', inPath('webhookId')),
  deliveryNotFound: error(404, 'Delivery not found', inPath('deliveryId')),
  suppressionNotFound: error(404, 'Suppression not found'),
  keyNotFound: error(404, 'Key not found', inPath('keyId')),
  userNotFound: error(404, 'User not found', inPath('userId')),
  requestTimeout: error(408, 'Request timeout', always),
  requestRunning: error(409, 'A request with this Idempotency-Key is still running', once),
  nameTaken: error(409, 'A user with this name already exists', takes('deviceLimit')),
  userHasDevices: error(409, 'The user still has devices; delete them first'),
  messageLeaves: error(409, 'The message is being sent and can no longer be changed or cancelled'),
  noPasskeyExpected: error(409, 'No passkey response is expected now'),
  tooManyWebhooks: error(409, full('device', '100 webhooks; delete'), ({ id }) => id === 'createWebhook'),
  tooManyAccountWebhooks: error(
    409,
    full('account', '100 webhooks; delete'),
    ({ id }) => id === 'createAccountWebhook',
  ),
  tooManyKeys: error(409, full('account', '1,000 API keys; revoke'), takes('expiresAt')),
  settingsNotShared: error(409, 'The phone has not shared its settings yet: open the app on it, and try again'),
  labelConflict: error(409, 'Another device of the account is making labels; try again'),
  termsNotAccepted: error(409, 'The account has not accepted the terms for channels; acceptTerms does so'),
  noCode: error(409, 'There is no code to compare now'),
  audienceUnknown: error(
    409,
    'The account shows its statuses to a list that only its phone knows: give audience',
    takes('audience'),
  ),
  payloadTooLarge: error(413, 'Request payload too large', (op) => takesBody(op) || op.takesFile === true),
  rangeNotSatisfiable: error(
    416,
    'The file has 70000 bytes; the range starts beyond its end',
    (op) => op.ranges === true,
  ),
  notLinked: error(422, 'Device is not fully authenticated; scan the QR code to complete the connection', connected),
  rateLimited: error(429, 'Rate limit exceeded; maximum 100 requests per minute per user', always),
  scheduleFull: error(
    429,
    '1,000 messages already wait to be sent by this device; cancel some, or wait until they are sent',
    both(sends, takes('sendAt')),
  ),
  uploadBudgetExceeded: error(
    429,
    'Upload limit reached: up to 64 files of 500 MB in total are kept for a user, each for an hour',
  ),
  internal: error(500, 'Internal server error', always),
  pairingFailed: error(500, 'The device could not be paired: item-not-found'),
  sendFailed: error(500, 'Failed to send message', (op) => sends(op) && !sendsFile(op)),
  sendMediaFailed: error(500, 'Failed to send media message', sendsFile),
  albumIncomplete: error(
    500,
    'Failed to send media message: 1 of the 2 files of the album were sent. items[1]: Request timeout. A repeat with the same Idempotency-Key sends only what is missing',
  ),
  mediaHostFailed: error(500, 'Failed to send media message: the host of mediaUrl answered HTTP 503', sendsFile),
  mediaFetchFailed: error(500, "Failed to fetch the media: the network's media host answered HTTP 503"),
  restartFailed: error(500, 'Failed to restart device 7'),
  disconnectFailed: error(500, 'Failed to disconnect device 7'),
  databaseUnavailable: error(
    503,
    'The database is not available; try again in a few seconds, a send with its Idempotency-Key',
    always,
  ),
  deviceMoving: error(503, 'The device is moving to another node; try again in a few seconds', atOwner),
  diskFull: error(503, 'The disk of the service is full; try again later', ({ method }) => method !== 'GET'),
  networkUnreachable: error(
    503,
    'web.whatsapp.com cannot be reached: DNS does not resolve its name (ENOTFOUND); "handset doctor" on the machine of the service looks for the cause',
  ),
  nodeLost: error(
    503,
    'The node that has the device was lost during the request; try again in a few seconds, a send with its Idempotency-Key',
    atOwner,
  ),
} as const satisfies Readonly<Record<string, ReturnType<typeof error>>>;

export type ErrorName = keyof typeof table;
export const imageErrors = ['invalidImage', 'imageDamaged', 'imageTooLarge'] as const;

/** Messages by code: those declared and those that follow from the shape. */
export const errorsOf = (op: Shape): ReadonlyMap<ErrorCode, readonly string[]> => {
  const { errors: named = [] } = op;
  const applying = Object.entries(table).filter(([name, { when }]) => named.some((one) => one === name) || when(op));
  const byCode = [...Map.groupBy(applying, ([, { code }]) => code)];
  return new Map(byCode.map(([code, those]) => [code, those.map(([, { message }]) => message)]));
};
