/** Code snippets that verify webhook signatures (Standard Webhooks). */

export const snippets = {
  node: `import { Webhook } from 'standardwebhooks';   // npm i standardwebhooks

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

// body: the raw request body as text, before JSON parsing
const event = webhook.verify(body, request.headers);   // throws if the signature is invalid
`,
  python: `from standardwebhooks.webhooks import Webhook   # pip install standardwebhooks

webhook = Webhook(os.environ["WEBHOOK_SECRET"])

# body: the raw request body as text, before JSON parsing
event = webhook.verify(body, request.headers)   # raises if the signature is invalid
`,
  go: `import standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))

// body: the raw request body
err = webhook.Verify(body, request.Header) // not nil if the signature is invalid
`,
} as const;

export type SnippetLanguage = keyof typeof snippets;
