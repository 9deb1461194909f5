/** The frame of a part of a message: an icon, a title and what belongs to it. */
import type { ReactNode } from 'react';

interface Props {
  readonly icon?: ReactNode;
  /** The kind of the part, above its title. */
  readonly kind?: string;
  readonly title: string;
  readonly children?: ReactNode;
}

export const Part = ({ icon, kind, title, children }: Props) => (
  <div className="part">
    {icon}
    <div className="part-text">
      {kind !== undefined && <span className="part-kind">{kind}</span>}
      <strong>{title}</strong>
      {children}
    </div>
  </div>
);
