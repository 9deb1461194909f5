/** The form of the node, as n8n shows it. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

const show = (resource: string, ...operation: string[]): NonNullable<INodeProperties['displayOptions']> => ({
  show: { resource: [resource], operation },
});

const choice = (name: string, value: string, action: string, description: string): INodePropertyOptions => ({
  name,
  value,
  action,
  description,
});

const operations = (resource: string, standard: string, options: INodePropertyOptions[]): INodeProperties => ({
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  displayOptions: { show: { resource: [resource] } },
  options,
  default: standard,
});

const text = (
  displayName: string,
  name: string,
  displayOptions: NonNullable<INodeProperties['displayOptions']>,
  more: Partial<INodeProperties> = {},
): INodeProperties => ({ displayName, name, type: 'string', default: '', displayOptions, ...more });

const sends = ['sendText', 'reply', 'sendFile', 'sendLocation'];

const choices: INodeProperties[] = [
  {
    displayName: 'Resource',
    name: 'resource',
    type: 'options',
    noDataExpression: true,
    options: [
      { name: 'Chat', value: 'chat' },
      { name: 'Contact', value: 'contact' },
      { name: 'Device', value: 'device' },
      { name: 'Message', value: 'message' },
    ],
    default: 'message',
  },
  operations('message', 'sendText', [
    choice('Get', 'get', 'Get a message', 'Get a message with its state'),
    choice('React', 'react', 'React to a message', 'React with one emoji, or take the reaction back'),
    choice('Reply', 'reply', 'Reply to a message', 'Send a text that quotes a message'),
    choice('Send File', 'sendFile', 'Send a file', 'Send an image, a video, a voice message, audio or a document'),
    choice('Send Location', 'sendLocation', 'Send a location', 'Send a place'),
    choice('Send Text', 'sendText', 'Send a text', 'Send a text message'),
  ]),
  operations('chat', 'getMany', [
    choice('Get Many', 'getMany', 'Get many chats', 'Get chats, newest activity first'),
    choice('Mark as Read', 'markRead', 'Mark a chat as read', 'Mark all messages of a chat as read'),
    choice('Set Typing', 'setTyping', 'Set typing in a chat', 'Show that an answer is being written or recorded'),
  ]),
  operations('contact', 'get', [
    choice('Get', 'get', 'Get a contact', 'Get what is known of a person'),
    choice('Look Up Numbers', 'lookUp', 'Look up numbers', 'Find out which phone numbers have an account'),
  ]),
  operations('device', 'getMany', [
    choice('Get', 'get', 'Get a device', 'Get a device with its status'),
    choice('Get Many', 'getMany', 'Get many devices', 'Get all devices of the user'),
  ]),
];

const deviceField = (displayOptions: NonNullable<INodeProperties['displayOptions']>): INodeProperties => ({
  displayName: 'Device Name or ID',
  name: 'device',
  type: 'options',
  typeOptions: { loadOptionsMethod: 'getDevices' },
  required: true,
  default: '',
  description:
    'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
  displayOptions,
});

const files: INodeProperties[] = [
  {
    displayName: 'Send As',
    name: 'kind',
    type: 'options',
    options: [
      { name: 'Audio', value: 'audio' },
      { name: 'Document', value: 'document' },
      { name: 'Image', value: 'media' },
      { name: 'Video', value: 'video' },
      { name: 'Voice Message', value: 'voice' },
    ],
    default: 'media',
    displayOptions: show('message', 'sendFile'),
  },
  {
    displayName: 'File From',
    name: 'source',
    type: 'options',
    options: [
      { name: 'Input Item', value: 'binary', description: 'At most 10 MB' },
      { name: 'URL', value: 'url', description: 'Handset downloads it' },
    ],
    default: 'url',
    displayOptions: show('message', 'sendFile'),
  },
  text(
    'URL',
    'url',
    { show: { resource: ['message'], operation: ['sendFile'], source: ['url'] } },
    {
      placeholder: 'https://example.com/report.pdf',
      required: true,
    },
  ),
  text(
    'Input Binary Field',
    'binaryProperty',
    { show: { resource: ['message'], operation: ['sendFile'], source: ['binary'] } },
    {
      default: 'data',
      required: true,
    },
  ),
  text('Caption', 'caption', {
    show: { resource: ['message'], operation: ['sendFile'], kind: ['media', 'video', 'document'] },
  }),
  text('File Name', 'fileName', { show: { resource: ['message'], operation: ['sendFile'], kind: ['document'] } }),
];

const place: INodeProperties[] = [
  ...(['Latitude', 'Longitude'] as const).map((displayName): INodeProperties => ({
    displayName,
    name: displayName.toLowerCase(),
    type: 'number',
    default: 0,
    required: true,
    displayOptions: show('message', 'sendLocation'),
  })),
  text('Place Name', 'locationName', show('message', 'sendLocation')),
  text('Address', 'locationAddress', show('message', 'sendLocation')),
];

const options: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add option',
  default: {},
  displayOptions: show('message', ...sends),
  options: [
    {
      displayName: 'Idempotency Key',
      name: 'idempotencyKey',
      type: 'string',
      default: '',
      description:
        'The same key with the same content is sent once within 24 hours. By default one for each item of a run.',
    },
    {
      displayName: 'Quoted Message ID',
      name: 'quotedMessageId',
      type: 'string',
      default: '',
      description: 'ID of a message of the same chat that this one answers',
    },
  ],
};

export const properties: INodeProperties[] = [
  ...choices,
  deviceField({ show: { resource: ['message', 'chat', 'contact'] } }),
  deviceField(show('device', 'get')),
  text('To', 'to', show('message', ...sends), {
    required: true,
    placeholder: '+49 155 5000 2222',
    description: 'A phone number with its country code, or an address as events show it: a JID, a LID or a group',
  }),
  text('Message ID', 'messageId', show('message', 'reply', 'react', 'get'), { required: true }),
  text('Message', 'message', show('message', 'sendText', 'reply'), { required: true, typeOptions: { rows: 4 } }),
  text('Reaction', 'reaction', show('message', 'react'), {
    placeholder: '👍',
    description: 'One emoji; empty takes the reaction back',
  }),
  ...files,
  ...place,
  text('Chat', 'chat', show('chat', 'markRead', 'setTyping'), {
    required: true,
    placeholder: '={{ $json.data.message.chat }}',
  }),
  text('Person', 'chat', show('contact', 'get'), { required: true, placeholder: '+49 155 5000 2222' }),
  text('Numbers', 'numbers', show('contact', 'lookUp'), {
    required: true,
    description: 'At most 20 phone numbers, separated by commas. Handset looks up at most 200 new numbers a day.',
  }),
  {
    displayName: 'State',
    name: 'state',
    type: 'options',
    options: [
      { name: 'Nothing', value: 'none' },
      { name: 'Recording', value: 'voice' },
      { name: 'Typing', value: 'text' },
    ],
    default: 'text',
    displayOptions: show('chat', 'setTyping'),
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 100 },
    default: 50,
    description: 'Max number of results to return',
    displayOptions: show('chat', 'getMany'),
  },
  {
    displayName: 'Unread Only',
    name: 'unread',
    type: 'boolean',
    default: false,
    description: 'Whether to return only chats with unread messages',
    displayOptions: show('chat', 'getMany'),
  },
  options,
];
