/** The code that a user pastes into their endpoint to check our signatures (Standard Webhooks). */

export const snippets = {
  node: `import { Webhook } from 'standardwebhooks';   // npm i standardwebhooks

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

// body: the raw text of the request, before any JSON parsing
const event = webhook.verify(body, request.headers);   // throws when it is not ours
`,
  python: `from standardwebhooks.webhooks import Webhook   # pip install standardwebhooks

webhook = Webhook(os.environ["WEBHOOK_SECRET"])

# body: the raw text of the request, before any JSON parsing
event = webhook.verify(body, request.headers)   # raises when it is not ours
`,
  go: `import standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))

// body: the raw bytes of the request
err = webhook.Verify(body, request.Header) // not nil when it is not ours
`,
} as const;

export type SnippetLanguage = keyof typeof snippets;
