/** A device and its settings. */
import type { device as english } from '../en/device.ts';
import type { Translated } from '../translated.ts';
import { count, number } from './words.ts';

export const device: Translated<typeof english> = {
  device: {
    tabs: {
      label: 'Dispositivo',
      chat: 'Mensajes',
      status: 'Estados',
      channels: 'Canales',
      webhook: 'Webhook',
      deliveries: 'Entregas',
      events: 'Eventos',
      activity: 'Actividad',
      settings: 'Configuración',
    },
    missing: 'Dispositivo no encontrado',
    broken: 'No se puede mostrar esta página.',
    general: 'General',
    state: 'Estado',
    account: 'Cuenta',
    noAccount: 'Sin cuenta vinculada',
    lastSeen: 'Última conexión',
    never: 'Nunca',
    unknown: 'Desconocido',
    historyBegins: 'Cargando mensajes de tu teléfono…',
    historyLoading: (n: number) => `Cargando mensajes de tu teléfono: ${number(n)} hasta ahora…`,
    historyLoaded: (n: number) => `${count(n, 'mensaje cargado', 'mensajes cargados')} de tu teléfono.`,
    reconnects: 'Reconexiones',
    platform: 'Teléfono',
    session: {
      connecting: 'Conectando…',
      pairing: 'Esperando a que escanees el código QR o ingreses el código de vinculación',
      passkey_required: 'WhatsApp necesita tu clave de acceso para vincular este dispositivo',
      open: 'Conectado y listo para enviar',
      reconnecting: 'Se perdió la conexión. Reconectando…',
      closed: 'No conectado',
    },
    restart: 'Reiniciar',
    restarted: 'El dispositivo se está reiniciando.',
    disconnect: 'Desvincular',
    disconnectTitle: '¿Desvincular este dispositivo?',
    disconnectText:
      'Esto cierra la sesión del dispositivo en la cuenta y tendrás que volver a vincularlo. Sus mensajes y eventos se conservan.',
    disconnected: 'Dispositivo desvinculado.',
    remove: 'Eliminar',
    removeTitle: (name: string) => `¿Eliminar “${name}”?`,
    removeText:
      'Esto desvincula el dispositivo y elimina de forma permanente sus mensajes, eventos y entregas. Esta acción no se puede deshacer.',
    removed: 'Dispositivo eliminado.',
    name: 'Nombre',
    saved: 'Guardado.',
    activeHint:
      'Un dispositivo inactivo sigue vinculado, pero no se conecta y no cuenta para tu límite de dispositivos. WhatsApp desvincula un dispositivo que no se conecta durante 30 días.',
    deactivate: 'Desactivar',
    activate: 'Activar',
    danger: 'Desvincular o eliminar',
  },
  presence: {
    title: 'Presencia y llamadas',
    online: 'Aparecer en línea',
    readReceipts: 'Enviar confirmaciones de lectura',
    rejectCalls: 'Rechazar llamadas',
    callAnswer: 'Responder a quienes llaman con este mensaje (opcional)',
    hints: {
      online:
        'Si está desactivado, los remitentes ven una marca hasta que el teléfono está en línea. Si está activado, ven dos marcas y “en línea”, y es posible que el teléfono no te notifique los mensajes nuevos.',
      readReceipts:
        'Si está activado, los remitentes ven que sus mensajes se leyeron en cuanto abres su conversación aquí.',
      rejectCalls: 'Si está activado, las llamadas entrantes se rechazan en todos los dispositivos de la cuenta.',
    },
  },
  kept: {
    title: 'Mensajes y archivos multimedia',
    history: 'Mensajes que se cargarán del teléfono en la próxima vinculación',
    historyHint: 'Aparecen en los chats y no activan webhooks.',
    histories: { none: 'Ninguno', recent: 'Mensajes recientes', full: 'Todo lo que envíe el teléfono' },
    media: 'Archivos multimedia de los mensajes recibidos',
    mediaHint:
      'WhatsApp elimina los archivos después de algunas semanas. Los archivos conservados duran tanto como sus mensajes y ocupan espacio en el disco de Handset.',
    medias: { network: 'Descargar de WhatsApp al abrirlos', kept: 'Descargar y conservar' },
  },
  proxy: {
    title: 'Servidor proxy',
    none: 'El dispositivo se conecta directamente a WhatsApp.',
    now: (url: string) => `El dispositivo se conecta a través de ${url}.`,
    url: 'URL del proxy',
    hint: 'Por ejemplo, socks5://usuario:clave@proxy.example.com:1080, o con http o https. Se guarda cifrada, y el usuario y la contraseña no se vuelven a mostrar.',
    remove: 'Conectar directamente',
  },
  limits: {
    title: 'Límites',
    none: 'Esta cuenta no tiene restricciones.',
    until: (when: string) => `La restricción termina el ${when}.`,
    advice: 'Hasta entonces, responde solo a quienes te escriban. No inicies chats nuevos.',
    newChats: (used: number | null, limit: number) =>
      used === null
        ? `Puedes iniciar hasta ${count(limit, 'chat nuevo', 'chats nuevos')}.`
        : `${number(used)} de ${count(limit, 'chat nuevo iniciado', 'chats nuevos iniciados')}.`,
    newChatsLabel: 'Chats nuevos',
    resets: (when: string) => `El conteo se reinicia el ${when}.`,
    ceiling: 'Chats nuevos por día',
    ceilingHint:
      'Los mensajes que iniciarían más chats se rechazan. Déjalo vacío para no tener límite. Un límite bajo ayuda a proteger una cuenta nueva de restricciones.',
    stopWords: 'Palabras de baja',
    stopWordsHint:
      'Una por línea, por ejemplo BAJA. Quienes te envíen exactamente una de ellas en un chat privado se agregan a:',
  },
};
