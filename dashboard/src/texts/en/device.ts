/** A device and its settings. */
import type { SessionState } from '../../api/types.ts';
import { count, number } from './words.ts';

const sessionStates: Readonly<Record<SessionState, string>> = {
  connecting: 'Connecting…',
  pairing: 'Waiting for you to scan the QR code or enter the pairing code',
  passkey_required: 'WhatsApp needs your passkey to link this device',
  open: 'Connected and ready to send',
  reconnecting: 'Connection lost. Reconnecting…',
  closed: 'Not connected',
};

export const device = {
  device: {
    tabs: {
      label: 'Device',
      chat: 'Messages',
      status: 'Statuses',
      channels: 'Channels',
      webhook: 'Webhook',
      deliveries: 'Deliveries',
      events: 'Events',
      activity: 'Activity',
      settings: 'Settings',
    },
    missing: 'Device not found',
    broken: 'This page cannot be shown.',
    general: 'General',
    state: 'Status',
    account: 'Account',
    noAccount: 'Not linked',
    lastSeen: 'Last connected',
    never: 'Never',
    unknown: 'Unknown',
    historyBegins: 'Loading messages from your phone…',
    historyLoading: (n: number) => `Loading messages from your phone: ${number(n)} so far…`,
    historyLoaded: (n: number) => `${count(n, 'message', 'messages')} loaded from your phone.`,
    reconnects: 'Reconnections',
    platform: 'Phone',
    session: sessionStates,
    restart: 'Restart',
    restarted: 'The device is restarting.',
    disconnect: 'Disconnect',
    disconnectTitle: 'Disconnect this device?',
    disconnectText:
      'This logs the device out of the account, and you have to pair it again. Its messages and events are kept.',
    disconnected: 'Device disconnected.',
    remove: 'Delete',
    removeTitle: (name: string) => `Delete “${name}”?`,
    removeText:
      'This logs the device out and permanently deletes its messages, events and deliveries. You cannot undo this.',
    removed: 'Device deleted.',
    name: 'Name',
    saved: 'Saved.',
    activeHint:
      'An inactive device stays linked but does not connect, and does not count towards your device limit. WhatsApp unlinks a device that does not connect for 30 days.',
    deactivate: 'Deactivate',
    activate: 'Activate',
    danger: 'Disconnect or delete',
  },
  presence: {
    title: 'Presence and calls',
    online: 'Appear online',
    readReceipts: 'Send read receipts',
    rejectCalls: 'Reject calls',
    callAnswer: 'Answer callers with this message (optional)',
    hints: {
      online:
        'While off, senders see one tick until the phone is online. While on, they see two ticks and “online”, and the phone may not notify you of new messages.',
      readReceipts: 'While on, senders see that their messages were read once you open their conversation here.',
      rejectCalls: 'While on, incoming calls are rejected on all devices of the account.',
    },
  },
  kept: {
    title: 'Messages and media',
    history: 'Messages to load from the phone at the next pairing',
    historyHint: 'They show up in chats, and trigger no webhooks.',
    histories: { none: 'None', recent: 'Recent messages', full: 'Everything that the phone sends' },
    media: 'Media in received messages',
    mediaHint:
      'WhatsApp deletes files after a few weeks. Kept files last as long as their messages, and use disk space of Handset.',
    medias: { network: 'Download from WhatsApp when opened', kept: 'Download and keep' },
  },
  proxy: {
    title: 'Proxy',
    none: 'The device connects to WhatsApp directly.',
    now: (url: string) => `The device connects through ${url}.`,
    url: 'Proxy URL',
    hint: 'For example socks5://user:password@proxy.example.com:1080, or with http or https. It is stored encrypted, and the user name and password are never shown again.',
    remove: 'Connect directly',
  },
  limits: {
    title: 'Limits',
    none: 'This account is not restricted.',
    until: (when: string) => `The restriction ends ${when}.`,
    advice: 'Until then, only reply to people who write to you. Do not start new chats.',
    newChats: (used: number | null, limit: number) =>
      used === null
        ? `You can start up to ${count(limit, 'new chat', 'new chats')}.`
        : `${number(used)} of ${count(limit, 'new chat', 'new chats')} started.`,
    newChatsLabel: 'New chats',
    resets: (when: string) => `The count resets ${when}.`,
    ceiling: 'New chats per day',
    ceilingHint:
      'Messages that would start more chats are refused. Leave empty for no limit. A low limit helps to protect a new account from restrictions.',
    stopWords: 'Stop words',
    stopWordsHint:
      'One per line, for example STOP. People who send you exactly one of these in a private chat are added to:',
  },
} as const;
