/** The result for each person of a change of members, in words. */
import type { MemberResult } from '../../api/group.ts';
import { texts } from '../../base/texts.ts';
import type { NameOf } from '../shown/people.ts';

const words = texts.groups;

interface Props {
  readonly results: readonly MemberResult[];
  readonly nameOf: NameOf;
}

export const Results = ({ results, nameOf }: Props) => (
  <div role="status">
    <ul className="results" aria-label={words.results}>
      {results.map(({ person, result, reason }) => (
        <li key={person.jid} className={result === 'refused' ? 'error' : ''}>
          <strong>{nameOf(person)}</strong>: {words.result[result]}
          {reason !== null && ` (${reason})`}
        </li>
      ))}
    </ul>
  </div>
);
