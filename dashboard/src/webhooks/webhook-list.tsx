/** The webhooks of a device beside its own, or those of all devices. */
import { type ReactNode, useState } from 'react';
import type { AnyWebhook } from '../api/types.ts';
import { texts } from '../base/texts.ts';
import { useNotify } from '../ui/notices.tsx';
import { Await, Empty } from '../ui/parts.tsx';
import { Editor } from './editor.tsx';
import { OneWebhook } from './one.tsx';
import { useWebhooks } from './use-webhooks.ts';

const words = texts.webhooks;

interface Props {
  /** The path above `/webhooks`. */
  readonly scope: string;
  readonly title: string;
  readonly hint: string;
  /** Whether the list is the page, rather than a part of one that has a button for what is done most. */
  readonly isPage?: boolean;
  readonly deliveriesOf: (webhook: AnyWebhook) => ReactNode;
}

export const WebhookList = ({ scope, title, hint, isPage = false, deliveriesOf }: Props) => {
  const notify = useNotify();
  const [isNew, setNew] = useState(false);
  const webhooks = useWebhooks(scope);
  const path = `${scope}/webhooks`;
  const changed = (webhook: AnyWebhook): void => {
    notify.good(texts.webhook.saved);
    webhooks.change((all) => all.map((one) => (one.id === webhook.id ? webhook : one)));
  };
  return (
    <section className="stack" aria-label={title}>
      <header className="page-head">
        <div>
          {isPage ? <h1>{words.title}</h1> : <h2>{title}</h2>}
          <p className={isPage ? 'lead' : 'hint'}>{hint}</p>
        </div>
        <button type="button" className={isPage ? 'primary' : ''} onClick={() => setNew(true)}>
          {words.create}
        </button>
      </header>
      {isPage && <h2 className="visually-hidden">{title}</h2>}
      <Await of={webhooks}>
        {(all) => {
          const others = all.filter(({ id }) => id !== 'primary');
          if (others.length === 0) return <Empty title={words.none} />;
          return others.map((webhook) => (
            <OneWebhook
              key={webhook.id}
              path={path}
              webhook={webhook}
              deliveries={deliveriesOf(webhook)}
              changed={changed}
              removed={() => webhooks.change((old) => old.filter(({ id }) => id !== webhook.id))}
            />
          ));
        }}
      </Await>
      {isNew && (
        <Editor
          path={path}
          webhook={null}
          saved={(webhook) => {
            notify.good(texts.webhook.saved);
            webhooks.change((all) => [webhook, ...all]);
          }}
          close={() => setNew(false)}
        />
      )}
    </section>
  );
};
