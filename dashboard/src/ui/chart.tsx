/** A stacked bar chart over time, with the same numbers as a table for screen readers. */
import { locale, texts } from '../base/texts.ts';

export interface Series {
  readonly name: string;
  readonly tone: 'one' | 'two' | 'three' | 'bad';
  readonly values: readonly number[];
}

interface Props {
  readonly title: string;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
}

const width = 340;
const height = 110;

/** A round number at or above the highest bar. */
const ceilingOf = (highest: number): number => {
  if (highest <= 4) return 4;
  const step = 10 ** Math.floor(Math.log10(highest));
  return [1, 2, 5, 10].map((factor) => factor * step).find((value) => value >= highest) ?? highest;
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const Bars = ({ labels, series, ceiling }: Omit<Props, 'title'> & { readonly ceiling: number }) => {
  const slot = width / labels.length;
  return (
    <>
      {labels.map((label, index) => {
        let top = height;
        const spoken = series.map(({ name, values }) => `${name} ${values[index] ?? 0}`).join(', ');
        return (
          <g key={label}>
            <title>{texts.activity.bar(label, spoken)}</title>
            <rect className="hover" x={index * slot} y={0} width={slot} height={height} />
            {series.map(({ name, tone, values }) => {
              const size = ((values[index] ?? 0) / ceiling) * height;
              top -= size;
              return (
                <rect
                  key={name}
                  className={`bar ${tone}`}
                  x={index * slot + slot * 0.15}
                  y={top}
                  width={slot * 0.7}
                  height={size}
                />
              );
            })}
          </g>
        );
      })}
    </>
  );
};

const Numbers = ({ labels, series }: Omit<Props, 'title'>) => (
  <details>
    <summary>{texts.activity.table}</summary>
    <table className="list">
      <thead>
        <tr>
          <th scope="col">{texts.activity.time}</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {labels.map((label, index) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {series.map(({ name, values }) => (
              <td key={name}>{values[index]}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);

export const BarChart = ({ title, labels, series }: Props) => {
  const totals = labels.map((_, index) => sum(series.map(({ values }) => values[index] ?? 0)));
  const ceiling = ceilingOf(Math.max(0, ...totals));
  const summary = series.map(({ name, values }) => `${name}: ${texts.activity.total(sum(values))}`);
  return (
    <figure className="card chart">
      <figcaption>
        <h3>{title}</h3>
        <ul className="legend">
          {series.map(({ name, tone, values }) => (
            <li key={name}>
              <span className={`swatch ${tone}`} aria-hidden="true" />
              {name} <strong>{sum(values).toLocaleString(locale)}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      {/* Beside the drawing, which is stretched to the width of the card. */}
      <div>
        <p className="chart-scale" aria-hidden="true">
          {ceiling.toLocaleString(locale)}
        </p>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}. ${summary.join('. ')}`}
        >
          <path className="axis" d={`M0 ${height}H${width}M0 ${height / 2}H${width}M0 0H${width}`} />
          <Bars labels={labels} series={series} ceiling={ceiling} />
        </svg>
        <p className="chart-scale" aria-hidden="true">
          <span>{labels[0]}</span>
          <span>{texts.activity.now}</span>
        </p>
      </div>
      <Numbers labels={labels} series={series} />
    </figure>
  );
};
