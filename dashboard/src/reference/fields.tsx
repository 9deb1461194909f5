/** Fields of a body, an answer or an event, and the parameters of an operation, as a list. */
import { texts } from '../base/texts.ts';
import { type Document, type FieldRow, fieldsOf, type Parameter, type Schema, typeOf } from './document.ts';
import { Prose } from './prose.tsx';

const words = texts.reference;

const Field = ({ name, type, required, description }: FieldRow) => (
  <li>
    <p>
      <code className="field-name">{name}</code> <span className="dim">{type}</span>
      {required && <span className="required"> {words.required}</span>}
    </p>
    {description !== '' && (
      <p>
        <Prose text={description} />
      </p>
    )}
  </li>
);

interface Props {
  readonly title: string;
  readonly fields: readonly FieldRow[];
}

const FieldList = ({ title, fields }: Props) => (
  <section>
    <h2>{title}</h2>
    <ul className="fields">
      {fields.map((field) => (
        <Field key={`${field.name} ${field.type}`} {...field} />
      ))}
    </ul>
  </section>
);

interface SchemaProps {
  readonly title: string;
  readonly document: Document;
  readonly schema: Schema | undefined;
}

/** Empty if there are no fields. */
export const SchemaFields = ({ title, document, schema }: SchemaProps) => {
  const fields = schema === undefined ? [] : fieldsOf(document, schema);
  return fields.length === 0 ? null : <FieldList title={title} fields={fields} />;
};

interface ParameterProps {
  readonly document: Document;
  readonly parameters: readonly Parameter[];
}

export const Parameters = ({ document, parameters }: ParameterProps) => {
  const fields = parameters.map(({ name, in: place, required = false, description = '', schema }) => {
    const type = `${typeOf(document, schema)}, ${place}`;
    return { name, type, required, description };
  });
  return fields.length === 0 ? null : <FieldList title={words.parameters} fields={fields} />;
};
