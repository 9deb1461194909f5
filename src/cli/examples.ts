/** Examples for the help of each command, by its words. */

export const examples: Readonly<Record<string, readonly string[]>> = {
  login: ['login --url https://handset.example.com', 'login < key.txt'],
  'device create': [
    "device create --name 'Front desk' --wait",
    'device create --phone-number 4915112345678',
    'device create --webhook-url https://example.com/hook --webhook-events message.received,call',
  ],
  'device list': ['device list', 'device list --json'],
  'device show': ['device show 1', 'device show 1 --wait'],
  'device qr': ['device qr 1 --wait'],
  'device passkey': ['device passkey 1', 'device passkey 1 --credential credential.json', 'device passkey 1 --confirm'],
  'device restart': ['device restart 1 --wait', 'device restart 1 --phone-number 4915112345678'],
  'device disconnect': ['device disconnect 1'],
  'device delete': ['device delete 1 --yes'],
  'send text': [
    "send text 1 '+49 151 12345678' 'Hello'",
    'send text 1 120363025246125486@g.us - < notes.txt',
    "send text 1 4915112345678 'Your order' --idempotency-key order-4711",
  ],
  'send image': [
    "send image 1 4915112345678 cat.png --caption 'A cat'",
    'send image 1 4915112345678 https://example.com/cat.png',
  ],
  events: ['events 1', 'events 1 --follow', 'events 1 --after evt_000000010000000007 --json'],
  listen: [
    'listen 1 --forward-to http://localhost:3000/hook',
    'listen 1 --forward-to http://localhost:3000/hook --events message.received',
  ],
  'phone add': ['phone add 4915550001111 Ada'],
  'phone scan': ['phone scan 4915550001111 1'],
  'phone write': ["phone write 4915550002222 4915550001111 'Hello yourself'"],
  'phone messages': ['phone messages 4915550002222', 'phone messages 4915550002222 --follow'],
  'key create': ['key create ci'],
  'key list': ['key list'],
  'key revoke': ['key revoke 3'],
  doctor: ['doctor'],
  mcp: ['mcp'],
  completion: [
    'completion bash > ~/.local/share/bash-completion/completions/handset',
    'completion zsh > ~/.zfunc/_handset',
    'completion fish > ~/.config/fish/completions/handset.fish',
  ],
};
