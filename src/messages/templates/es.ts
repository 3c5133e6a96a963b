import type { Wordings } from './wording';

const minutes = (count: number) => (count === 1 ? '1 minuto' : `${count} minutos`);
const support = (contact: string | null) => contact ?? 'nuestro servicio al cliente';

/** Spanish. */
export const es: Wordings = {
  'verification-code': ({ code, expiresInMinutes }) => ({
    subject: 'Su código de confirmación',
    body: [
      'Hola:',
      'Utilice este código para confirmar su dirección de correo electrónico:',
      { code },
      `El código es válido durante ${minutes(expiresInMinutes)}. No lo comparta con nadie.`,
      'Si no ha solicitado este código, puede ignorar este mensaje: no cambiará nada.',
    ],
    sms: `${code} es su código de confirmación. Es válido durante ${minutes(expiresInMinutes)}. No lo comparta. Si no lo ha solicitado, ignore este mensaje.`,
  }),
  'recovery-code': ({ code, expiresInMinutes, touchpointName }) => ({
    subject: 'Su código para una nueva contraseña',
    body: [
      'Hola:',
      `Utilice este código para elegir una nueva contraseña en ${touchpointName}:`,
      { code },
      `El código es válido durante ${minutes(expiresInMinutes)}. No lo comparta con nadie: ninguno de nosotros se lo pedirá.`,
      'Si no ha solicitado este código, puede ignorar este mensaje: su contraseña no cambiará.',
    ],
    sms: `${code} es su código para una nueva contraseña (${touchpointName}), válido ${minutes(expiresInMinutes)}. No lo comparta. ¿No fue usted? Ignórelo.`,
  }),
  'account-exists': () => ({
    subject: 'Ya tiene una cuenta',
    body: [
      'Hola:',
      'Alguien, probablemente usted, ha intentado registrarse con esta dirección de correo electrónico. Ya pertenece a una cuenta, por lo que no se ha creado ninguna nueva.',
      'Si ha sido usted, inicie sesión como de costumbre.',
      'Si no ha sido usted, puede ignorar este mensaje: no ha cambiado nada.',
    ],
    sms: 'Alguien, probablemente usted, ha intentado registrarse con este número. Ya tiene una cuenta: inicie sesión. Si no ha sido usted, ignore este mensaje.',
  }),
  'identifier-changed': ({ newDestinationMasked }, contact) =>
    newDestinationMasked === null
      ? {
          subject: 'Su dirección de correo electrónico se ha eliminado',
          body: [
            'Hola:',
            'Esta dirección de correo electrónico se ha eliminado de su cuenta. A partir de ahora ya no le escribiremos a ella.',
            `Si usted no ha hecho este cambio, póngase en contacto cuanto antes con ${support(contact)}.`,
          ],
          sms: `Este número de teléfono se ha eliminado de su cuenta. Si no ha sido usted, contacte cuanto antes con ${support(contact)}.`,
        }
      : {
          subject: 'Su dirección de correo electrónico ha cambiado',
          body: [
            'Hola:',
            `La dirección de correo electrónico de su cuenta se ha cambiado por ${newDestinationMasked}. A partir de ahora le escribiremos a la nueva dirección.`,
            `Si usted no ha hecho este cambio, póngase en contacto cuanto antes con ${support(contact)}.`,
          ],
          sms: `El número de teléfono de su cuenta se ha cambiado por ${newDestinationMasked}. Si no ha sido usted, contacte cuanto antes con ${support(contact)}.`,
        },
  'identity-linked': ({ issuerName }, contact) => ({
    subject: 'Se ha añadido una forma de iniciar sesión',
    body: [
      'Hola:',
      `A partir de ahora también puede iniciar sesión en su cuenta a través de ${issuerName}.`,
      `Si usted no ha hecho este cambio, póngase en contacto cuanto antes con ${support(contact)}.`,
    ],
    sms: `Ya puede entrar en su cuenta también con ${issuerName}. Si no ha sido usted, contacte cuanto antes con ${support(contact)}.`,
  }),
  'password-changed': (_, contact) => ({
    subject: 'Su contraseña ha cambiado',
    body: [
      'Hola:',
      'La contraseña de su cuenta se acaba de cambiar. Se ha cerrado la sesión en todos sus demás dispositivos.',
      `Si usted no ha hecho este cambio, póngase en contacto cuanto antes con ${support(contact)}.`,
    ],
    sms: `La contraseña de su cuenta se acaba de cambiar. Si no ha sido usted, contacte cuanto antes con ${support(contact)}.`,
  }),
  'password-recovered': (_, contact) => ({
    subject: 'Tiene una nueva contraseña',
    body: [
      'Hola:',
      'Se acaba de elegir una nueva contraseña para su cuenta con un código que le habíamos enviado. Se ha cerrado la sesión en todos sus dispositivos.',
      `Si no ha sido usted, póngase en contacto cuanto antes con ${support(contact)}.`,
    ],
    sms: `Se acaba de elegir una nueva contraseña para su cuenta con un código. Si no ha sido usted, contacte cuanto antes con ${support(contact)}.`,
  }),
  'recovery-advised': (_, contact) => ({
    subject: 'Elija una nueva contraseña',
    body: [
      'Hola:',
      'Le recomendamos que elija una nueva contraseña. Vaya a donde suele iniciar sesión y elija «¿Ha olvidado su contraseña?»: entonces le enviaremos un código.',
      'Hasta entonces vale su contraseña actual. Nunca le pediremos su contraseña ni un código.',
      `Si tiene preguntas, póngase en contacto con ${support(contact)}.`,
    ],
    sms: `Elija una nueva contraseña: "¿Ha olvidado su contraseña?" al iniciar sesión. Nunca pedimos códigos. Preguntas: ${support(contact)}.`,
  }),
};
