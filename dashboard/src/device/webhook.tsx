/** The webhooks of a device: its own, with URL, events, signing secret and health, and others. */
import { useState } from 'react';
import { useAccount } from '../account/account.tsx';
import { type Device, eventKinds } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { snippets, type SnippetLanguage } from '../api/verification-snippets.ts';
import { useLoad } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { useNotify } from '../ui/notices.tsx';
import { useForm } from '../ui/form.ts';
import { Action, Await, Choice, CopyButton, ErrorText, Field } from '../ui/parts.tsx';
import { Health, TestButton, Trouble } from '../webhooks/health.tsx';
import { Kinds } from '../webhooks/kinds.tsx';
import { Secret } from '../webhooks/secret.tsx';
import { WebhookList } from '../webhooks/webhook-list.tsx';

const words = texts.webhook;

interface FormProps {
  readonly device: Device;
  readonly saved: () => void;
  readonly tested: (delivered: boolean) => void;
}

const Form = ({ device, saved, tested }: FormProps) => {
  const { client, devices } = useAccount();
  const notify = useNotify();
  const [url, setUrl] = useState(device.webhookUrl ?? '');
  const [kinds, setKinds] = useState<readonly string[]>(device.webhookEvents);
  const form = useForm(['url'], async () => {
    const body = { webhookUrl: url.trim() === '' ? null : url.trim(), webhookEvents: kinds };
    const changed = await client.put<Answer<'updateDevice'>>(`/v1/devices/${device.id}`, body);
    devices.change((all) => all.map((one) => (one.id === device.id ? changed.device : one)));
    notify.good(words.saved);
    saved();
  });
  return (
    <form onSubmit={form.submit} noValidate>
      <Field
        label={words.url}
        hint={words.urlHint}
        error={form.errorOf('url')}
        type="url"
        placeholder="https://"
        value={url}
        onChange={(change) => setUrl(change.target.value)}
      />
      <Kinds kinds={eventKinds} chosen={kinds} change={setKinds} />
      <ErrorText error={form.error} />
      <div className="row">
        <button type="submit" className="primary">
          {texts.save}
        </button>
        <TestButton
          path={`/v1/devices/${device.id}/webhook/test`}
          disabled={device.webhookUrl === null}
          tested={tested}
        />
      </div>
    </form>
  );
};

const Verification = () => {
  const [language, setLanguage] = useState<SnippetLanguage>('node');
  return (
    <section className="card" aria-labelledby="verify-title">
      <h2 id="verify-title">{words.verify}</h2>
      <p className="hint">{words.verifyHint}</p>
      <div className="row between">
        <Choice
          label={words.language}
          value={language}
          options={[
            ['node', words.languages.node],
            ['python', words.languages.python],
            ['go', words.languages.go],
          ]}
          choose={setLanguage}
        />
        <CopyButton text={snippets[language]} />
      </div>
      <pre tabIndex={0} aria-label={words.verify}>
        {snippets[language]}
      </pre>
    </section>
  );
};

export const WebhookTab = ({ device }: { readonly device: Device }) => {
  const { client } = useAccount();
  const [isTestFailed, setTestFailed] = useState(false);
  const path = `/v1/devices/${device.id}`;
  const webhook = useLoad(
    async () => (await client.get<Answer<'getWebhook'>>(`${path}/webhook`)).webhook,
    String(device.id),
  );
  const rotate = async (): Promise<void> => {
    await client.post(`${path}/webhook/rotate-secret`);
    webhook.reload();
  };
  const turnOn = async (): Promise<void> => {
    await client.put(path, { webhookUrl: device.webhookUrl });
    webhook.reload();
  };
  const tested = (delivered: boolean): void => {
    setTestFailed(!delivered);
    webhook.reload();
  };
  return (
    <div className="stack">
      <section className="card" aria-labelledby="webhook-title">
        <div className="row between">
          <h2 id="webhook-title">{words.title}</h2>
          {webhook.value !== null && <Health of={webhook.value} isTestFailed={isTestFailed} />}
        </div>
        {webhook.value !== null && <Trouble of={webhook.value} />}
        {typeof webhook.value?.disabledAt === 'string' && <Action act={turnOn}>{texts.webhooks.enable}</Action>}
        <Form device={device} saved={webhook.reload} tested={tested} />
        <Await of={webhook}>
          {({ secret, previousSecretUntil }) => (
            <Secret secret={secret} previousUntil={previousSecretUntil} rotate={rotate} />
          )}
        </Await>
      </section>
      <WebhookList
        scope={path}
        title={texts.webhooks.more}
        hint={texts.webhooks.moreHint}
        deliveriesOf={() => (
          <a className="button quiet" href={`#/devices/${device.id}/deliveries`}>
            {texts.deliveries.title}
          </a>
        )}
      />
      <Verification />
    </div>
  );
};
