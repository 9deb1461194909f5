/** The list of devices, and creating and pairing one. */
import type { DeviceStatus } from '../../api/types.ts';
import { count } from './words.ts';

const deviceStatuses: Readonly<Record<DeviceStatus, string>> = {
  connected: 'Connected',
  qr: 'Waiting to pair',
  timeout: 'Not connected',
};

export const devices = {
  devices: {
    title: 'Devices',
    create: 'New device',
    none: 'No devices yet',
    noneHint: 'A device is a linked WhatsApp account. Create one and scan its QR code with your phone.',
    device: 'Device',
    account: 'Account',
    notLinked: 'Not linked',
    sentColumn: 'Sent',
    webhookColumn: 'Webhook',
    on: 'On',
    off: 'Off',
    created: 'Created',
    inactive: 'Inactive',
    id: (id: number) => `Device ${id}`,
    search: 'Search by name, number or ID',
    noMatch: 'No matching devices',
    clear: 'Clear the search',
    filter: 'Status',
    all: 'All',
    summary: (connected: number, all: number) => `${connected} of ${count(all, 'device', 'devices')} connected`,
  },
  status: deviceStatuses,
  create: {
    title: 'New device',
    name: 'Name',
    nameHint: 'Helps you recognise it. Optional.',
    method: 'How do you want to pair it?',
    byQr: 'Scan a QR code',
    byQrHint: 'With your phone’s camera',
    byCode: 'Enter a code',
    byCodeHint: 'If you cannot scan the screen',
    number: 'Phone number',
    numberHint: 'Country code and number, digits only. Example: 4915112345678',
    history: 'Messages to load from the phone',
    historyHint: 'They show up in chats, and trigger no webhooks.',
    submit: 'Create device',
    working: 'Creating the device…',
  },
  pairing: {
    title: 'Pair this device',
    qr: 'QR code to scan with your phone',
    steps: [
      'Open WhatsApp on your phone.',
      'On Android: ⋮ › Linked devices. On iPhone: Settings › Linked devices.',
      'Tap “Link a device” and scan this QR code.',
    ],
    codeSteps: [
      'Open WhatsApp on your phone.',
      'On Android: ⋮ › Linked devices. On iPhone: Settings › Linked devices. Tap “Link a device”.',
      'Tap “Link with phone number instead” and enter this code.',
    ],
    code: 'Pairing code',
    copyCode: 'Copy code',
    qrCountdown: (seconds: number) => `New QR code in ${seconds} s`,
    codeCountdown: (seconds: number) => `Expires in ${seconds} s`,
    refreshing: 'Waiting for a new code…',
    again: 'Pair again',
    helpTitle: 'Does your phone say “Couldn’t link device”?',
    help: [
      'Scan the QR code on this page again. WhatsApp may have issued a new one.',
      'If this keeps happening, the client version below may be too old for WhatsApp. Update Handset, or ask its operator to.',
    ],
  },
  passkey: {
    title: 'Confirm with your passkey',
    steps: [
      'Open WhatsApp Web with the button. The “Handset passkey” extension asks for your confirmation there.',
      'Press “Use passkey” and follow the prompts of your browser or phone.',
      'Come back here. The device connects automatically, or shows a code to compare.',
    ],
    open: 'Open WhatsApp Web',
    copyLink: 'Copy link for another browser',
    noExtension: 'Is the extension missing in this browser?',
    download: 'Download the extension',
    install: [
      'Download the extension and unpack it on this computer.',
      'Open chrome://extensions in Chrome, Edge, Brave or Chromium, and turn on “Developer mode”.',
      'Press “Load unpacked”, select the folder, and open WhatsApp Web again.',
    ],
    refused: (detail: string) =>
      `WhatsApp rejected the last attempt (${detail}). Open WhatsApp Web again and use the passkey of the account you are linking.`,
    countdown: (seconds: number) =>
      `Time left: ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`,
    over: 'Time’s up',
    startOver: 'Start over',
    phone: 'WhatsApp has your passkey. Your phone is completing the link, which takes a few seconds.',
    confirmSteps: [
      'Check your phone. It shows a code as well.',
      'If both codes are the same, press “Codes match”.',
      'The device connects automatically.',
    ],
    confirmWarning: 'If the codes differ, someone may be intercepting the link. Do not confirm. Start over instead.',
    code: 'Code to compare',
    match: 'Codes match',
    differ: 'Codes differ, start over',
  },
} as const;
