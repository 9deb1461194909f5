/** The client that the service says it is on the network, as callers see it. */
import { Type } from 'typebox';
import type { ClientVersionStatus } from '../../domain/client-version.ts';
import { nullableText, nullableTimestamp, oneOf } from '../wire/build.ts';
import { isoOrNull } from './messages/message.ts';

export const ClientVersionSchema = Type.Object(
  {
    version: Type.String({ description: "Version of the network's web client", examples: ['2.3000.1043857760'] }),
    source: oneOf(['bundled', 'stored', 'fetched', 'pinned'], {
      description:
        "`bundled` with this release, `stored` from an earlier run, `fetched` from the network's page, or `pinned` by the operator",
    }),
    ageDays: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Days since it was published or first seen; null if unknown',
    }),
    expiresAt: nullableTimestamp('From when on the network refuses it; null: the network has named no date'),
    checkedAt: nullableTimestamp("When the network's pages were last read; null: not since the start"),
    problem: nullableText({ description: "Why the network's pages could not be read; null if one could" }),
    warning: nullableText({ description: 'Advice for the operator; null if there is none' }),
  },
  { title: 'ClientVersion' },
);

export const clientVersionView = ({
  version,
  source,
  ageDays,
  expiresAt,
  warning,
  lastCheck,
}: ClientVersionStatus) => ({
  version,
  source,
  ageDays,
  expiresAt: isoOrNull(expiresAt),
  checkedAt: isoOrNull(lastCheck?.at ?? null),
  problem: lastCheck?.detail ?? null,
  warning,
});
