/** The WhatsApp client version that the service announces. WhatsApp does not link clients that are too old. */
import type { Client } from '../api/client.ts';
import type { Answer } from '../api/schemas.ts';
import type { ClientVersion } from '../api/types.ts';
import { useLoad } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';

const words = texts.clientVersion;

const factsOf = ({ version, source, ageDays }: ClientVersion): readonly string[] => [
  version,
  words.sources[source],
  ...(ageDays === null ? [] : [words.days(ageDays)]),
];

export const clientVersionFacts = (client: ClientVersion): string => factsOf(client).join(', ');

/** The warning about the client version and the error of its last update, if any. */
export const ClientVersionWarnings = ({ client }: { readonly client: ClientVersion }) => (
  <>
    {client.warning !== null && (
      <p className="notice bad" role="alert">
        {client.warning}
      </p>
    )}
    {client.problem !== null && <p className="hint">{words.problem(client.problem)}</p>}
  </>
);

export const ClientVersionNote = ({ client }: { readonly client: ClientVersion }) => (
  <>
    <p className="hint">{words.line(factsOf(client))}</p>
    <ClientVersionWarnings client={client} />
  </>
);

/** Help beside a pairing. Loads the client version anew, since it may have changed after the page was opened. */
export const LinkingHelp = ({ client }: { readonly client: Client }) => {
  const service = useLoad(async () => (await client.get<Answer<'getMe'>>('/v1/me')).service, 'once');
  const version = service.value?.client ?? null;
  return (
    <details className="linking-help" open={version !== null && version.warning !== null}>
      <summary>{texts.pairing.helpTitle}</summary>
      {texts.pairing.help.map((text) => (
        <p key={text} className="hint">
          {text}
        </p>
      ))}
      {version !== null && <ClientVersionNote client={version} />}
    </details>
  );
};
