import type { Wordings } from './wording';

const minutes = (count: number) => (count === 1 ? '1 Minute' : `${count} Minuten`);
const support = (contact: string | null) => contact ?? 'unseren Kundenservice';

/** German. */
export const de: Wordings = {
  'verification-code': ({ code, expiresInMinutes }) => ({
    subject: 'Ihr Bestätigungscode',
    body: [
      'Guten Tag,',
      'mit diesem Code bestätigen Sie Ihre E-Mail-Adresse:',
      { code },
      `Der Code gilt ${minutes(expiresInMinutes)}. Bitte geben Sie ihn an niemanden weiter.`,
      'Falls Sie diesen Code nicht angefordert haben, können Sie diese Nachricht ignorieren: Es ändert sich nichts.',
    ],
    sms: `${code} ist Ihr Bestätigungscode. Er gilt ${minutes(expiresInMinutes)}. Geben Sie ihn nicht weiter. Nicht angefordert? Dann ignorieren Sie diese Nachricht.`,
  }),
  'recovery-code': ({ code, expiresInMinutes, touchpointName }) => ({
    subject: 'Ihr Code für ein neues Passwort',
    body: [
      'Guten Tag,',
      `mit diesem Code wählen Sie bei ${touchpointName} ein neues Passwort:`,
      { code },
      `Der Code gilt ${minutes(expiresInMinutes)}. Bitte geben Sie ihn an niemanden weiter: Niemand von uns fragt Sie danach.`,
      'Falls Sie diesen Code nicht angefordert haben, können Sie diese Nachricht ignorieren: Ihr Passwort bleibt, wie es ist.',
    ],
    sms: `${code} ist Ihr Code für ein neues Passwort (${touchpointName}), gültig ${minutes(expiresInMinutes)}. Nicht weitergeben. Nicht angefordert? Ignorieren.`,
  }),
  'account-exists': () => ({
    subject: 'Sie haben bereits ein Konto',
    body: [
      'Guten Tag,',
      'jemand, vermutlich Sie selbst, wollte sich mit dieser E-Mail-Adresse registrieren. Sie gehört bereits zu einem Konto, daher wurde kein neues angelegt.',
      'Wenn Sie das waren, melden Sie sich bitte wie gewohnt an.',
      'Wenn Sie es nicht waren, können Sie diese Nachricht ignorieren: Es hat sich nichts geändert.',
    ],
    sms: 'Jemand, vermutlich Sie, wollte sich mit dieser Nummer registrieren. Sie haben bereits ein Konto, bitte melden Sie sich an. Sonst ignorieren Sie dies.',
  }),
  'identifier-changed': ({ newDestinationMasked }, contact) =>
    newDestinationMasked === null
      ? {
          subject: 'Ihre E-Mail-Adresse wurde entfernt',
          body: [
            'Guten Tag,',
            'diese E-Mail-Adresse wurde aus Ihrem Konto entfernt. Ab jetzt schreiben wir Ihnen nicht mehr an diese Adresse.',
            `Falls Sie diese Änderung nicht vorgenommen haben, wenden Sie sich bitte umgehend an ${support(contact)}.`,
          ],
          sms: `Diese Telefonnummer wurde aus Ihrem Konto entfernt. Waren Sie das nicht, wenden Sie sich bitte umgehend an ${support(contact)}.`,
        }
      : {
          subject: 'Ihre E-Mail-Adresse wurde geändert',
          body: [
            'Guten Tag,',
            `die E-Mail-Adresse Ihres Kontos wurde in ${newDestinationMasked} geändert. Ab jetzt schreiben wir Ihnen an die neue Adresse.`,
            `Falls Sie diese Änderung nicht vorgenommen haben, wenden Sie sich bitte umgehend an ${support(contact)}.`,
          ],
          sms: `Die Telefonnummer Ihres Kontos wurde in ${newDestinationMasked} geändert. Waren Sie das nicht, wenden Sie sich bitte umgehend an ${support(contact)}.`,
        },
  'identity-linked': ({ issuerName }, contact) => ({
    subject: 'Neue Anmeldung für Ihr Konto eingerichtet',
    body: [
      'Guten Tag,',
      `ab jetzt können Sie sich auch über ${issuerName} bei Ihrem Konto anmelden.`,
      `Falls Sie diese Änderung nicht vorgenommen haben, wenden Sie sich bitte umgehend an ${support(contact)}.`,
    ],
    sms: `Ihr Konto lässt sich jetzt auch über ${issuerName} öffnen. Waren Sie das nicht? Dann wenden Sie sich bitte an ${support(contact)}.`,
  }),
  'password-changed': (_, contact) => ({
    subject: 'Ihr Passwort wurde geändert',
    body: [
      'Guten Tag,',
      'das Passwort Ihres Kontos wurde soeben geändert. Auf allen anderen Geräten wurden Sie abgemeldet.',
      `Falls Sie diese Änderung nicht vorgenommen haben, wenden Sie sich bitte umgehend an ${support(contact)}.`,
    ],
    sms: `Das Passwort Ihres Kontos wurde soeben geändert. Waren Sie das nicht, wenden Sie sich bitte umgehend an ${support(contact)}.`,
  }),
  'password-recovered': (_, contact) => ({
    subject: 'Sie haben ein neues Passwort',
    body: [
      'Guten Tag,',
      'für Ihr Konto wurde soeben mit einem von uns gesendeten Code ein neues Passwort gewählt. Sie wurden auf allen Geräten abgemeldet.',
      `Falls Sie das nicht waren, wenden Sie sich bitte umgehend an ${support(contact)}.`,
    ],
    sms: `Für Ihr Konto wurde soeben mit einem Code ein neues Passwort gewählt. Waren Sie das nicht, wenden Sie sich umgehend an ${support(contact)}.`,
  }),
  'recovery-advised': (_, contact) => ({
    subject: 'Bitte wählen Sie ein neues Passwort',
    body: [
      'Guten Tag,',
      'wir raten Ihnen, ein neues Passwort zu wählen. Gehen Sie dorthin, wo Sie sich sonst anmelden, und wählen Sie „Passwort vergessen?“: Dann senden wir Ihnen einen Code.',
      'Bis dahin gilt Ihr jetziges Passwort. Wir fragen Sie nie nach Ihrem Passwort oder nach einem Code.',
      `Bei Fragen wenden Sie sich bitte an ${support(contact)}.`,
    ],
    sms: `Bitte wählen Sie ein neues Passwort: "Passwort vergessen?" bei der Anmeldung. Wir fragen nie nach Codes. Fragen an ${support(contact)}.`,
  }),
};
