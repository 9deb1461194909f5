/** Why a device is not connected. */
import type { reasons as english } from '../en/reasons.ts';
import type { Translated } from '../translated.ts';

export const reasons: Translated<typeof english> = {
  reasons: {
    pairing:
      'Esperando a que escanees el código QR o ingreses el código de vinculación en el teléfono, en Dispositivos vinculados.',
    never_paired: 'El dispositivo no está vinculado a una cuenta: reinícialo para obtener un código QR.',
    pairing_expired:
      'El código QR no se escaneó a tiempo: reinicia el dispositivo para obtener uno nuevo. Si el teléfono mostró “No se pudo vincular el dispositivo” todas las veces, es posible que la red rechace esta versión del cliente: consulta docs/linking.md.',
    pairing_failed: 'La red no completó la vinculación: reinicia el dispositivo para intentarlo de nuevo.',
    passkey_expired:
      'Nadie confirmó la clave de acceso a tiempo: reinicia el dispositivo para obtener un nuevo código QR y confirma en un plazo de diez minutos.',
    logged_out: 'El dispositivo se desvinculó: reinícialo para volver a vincular una cuenta.',
    removed_by_phone:
      'El teléfono quitó este dispositivo de sus dispositivos vinculados, o la red terminó la vinculación: reinícialo para vincularlo de nuevo.',
    locked:
      'La red bloqueó o suspendió esta cuenta, o ahora está en otro teléfono: abre la app en el teléfono y haz lo que te pida, luego reinicia el dispositivo para vincularlo de nuevo.',
    banned:
      'La red suspendió esta cuenta: abre la app en el teléfono y solicita una revisión; cuando vuelva a funcionar, reinicia el dispositivo para vincularlo de nuevo.',
    replaced:
      'Otro cliente tomó el control con la misma autenticación: detenlo y luego reinicia el dispositivo para conectarlo aquí.',
    client_outdated:
      'La red rechaza esta versión del cliente: actualiza el servicio o define HANDSET_CLIENT_VERSION y luego reinicia el dispositivo.',
    inactive:
      'El dispositivo está inactivo: actívalo para conectarlo. La red elimina un dispositivo vinculado que no se conecta durante 30 días.',
    shutdown: 'El servicio se está apagando: el dispositivo se reconecta cuando vuelva.',
  },
};
