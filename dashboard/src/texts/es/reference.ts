/** The API reference at `/docs`: its frame, since what it shows is the service's own document. */
import type { reference as english } from '../en/reference.ts';
import type { Translated } from '../translated.ts';
import { count, number } from './words.ts';

export const reference: Translated<typeof english> = {
  reference: {
    title: 'Referencia de la API',
    operations: 'Operaciones',
    events: 'Eventos de webhook',
    allOperations: 'Todas las operaciones',
    search: 'Buscar',
    searchHint: 'Buscar (tecla /)',
    found: (n: number) => count(n, 'resultado', 'resultados'),
    notFound: 'No se encontró nada. Prueba con una ruta, un campo o un evento.',
    unknown: 'Esta página no existe.',
    dashboard: 'Panel',
    address: 'URL base',
    authentication: 'Autenticación',
    signedInAs: (start: string) => `Sesión iniciada con ${start}…`,
    signInLead: 'Inicia sesión para enviar solicitudes desde esta página. El panel usa la misma sesión.',
    document: 'Documento OpenAPI',
    parameters: 'Parámetros',
    body: 'Cuerpo de la solicitud',
    optionalBody: 'Cuerpo de la solicitud (opcional)',
    response: 'Respuesta',
    payload: 'Payload',
    errors: 'Errores',
    required: 'obligatorio',
    samples: 'Ejemplo de código',
    language: 'Lenguaje',
    copySample: 'Copiar código',
    example: 'Ejemplo',
    tryIt: 'Pruébalo',
    send: 'Enviar',
    stop: 'Detener',
    notJson: 'El cuerpo no es JSON válido.',
    accept: 'Formato de la respuesta',
    signInToTry: 'Inicia sesión primero: esta operación necesita una clave.',
    image: 'Imagen de la respuesta',
    save: (bytes: number) => `Guardar el archivo (${number(bytes)} bytes)`,
    sends: 'Las solicitudes van a este servicio y tienen efecto.',
  },
};
