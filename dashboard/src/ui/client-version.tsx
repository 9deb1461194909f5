/** Which client the service says it is on WhatsApp: one that is too old cannot be linked. */
import type { Client } from '../api/client.ts';
import type { ClientVersion, Service } from '../api/types.ts';
import { useLoad } from '../hooks.ts';
import { texts } from '../texts.ts';

const words = texts.clientVersion;

const factsOf = ({ version, source, ageDays }: ClientVersion): readonly string[] => [
  version,
  words.sources[source],
  ...(ageDays === null ? [] : [words.days(ageDays)]),
];

export const clientVersionFacts = (client: ClientVersion): string => factsOf(client).join(', ');

/** Warning about the client version, and the error of the last look-up, if any. */
export const ClientVersionTrouble = ({ client }: { readonly client: ClientVersion }) => (
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
    <ClientVersionTrouble client={client} />
  </>
);

/** Next to a pairing: asked for when that is shown, since it may have changed since the page was opened. */
export const LinkingHelp = ({ client }: { readonly client: Client }) => {
  const service = useLoad(async () => (await client.get<{ service: Service }>('/v1/me')).service, 'once');
  const version = service.value?.client ?? null;
  return (
    <details className="linking-help" open={version !== null && version.warning !== null}>
      <summary>{texts.pairing.couldNotTitle}</summary>
      {texts.pairing.couldNot.map((text) => (
        <p key={text} className="hint">
          {text}
        </p>
      ))}
      {version !== null && <ClientVersionNote client={version} />}
    </details>
  );
};
