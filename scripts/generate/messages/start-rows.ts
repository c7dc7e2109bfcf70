import { kerberos, type MessageAdvice } from './advice.ts'

const now = 'Exits with code 1; nothing was changed'
const settings = 'Exits with code 2; nothing was changed'

/** Why a server does not start: the last line that it prints. */
export const startMessages: readonly MessageAdvice[] = [
  {
    says: 'The settings cannot be used:\n…',
    why: 'One or several settings are unknown or have a wrong value; each line names one',
    now: settings,
    todo: '`sluice config --config FILE`: [Settings](settings.md)',
  },
  {
    says: 'The … listener cannot start: ….',
    why: 'Another program listens on the port, it is below 1024, or the address is not of this machine',
    now,
    todo: '`ss -ltnp`. Stop the other program, or change `server.port`, `admin.port`, `server.host`',
  },
  {
    says: 'The scribe listener cannot start on …:…: …; ….',
    why: 'The same, for the Scribe port',
    now,
    todo: 'Change `collector.scribe.port`, or set `collector.scribe.enabled: false`',
  },
  {
    says: 'The sockets between threads cannot be made: …; ….',
    why: 'The temporary directory cannot be written, or its path is too long',
    now,
    todo: 'Set `TMPDIR` to a short path that the user can write',
  },
  {
    says: 'The spool … is in use by …',
    why: 'Another server or command runs on this spool',
    now,
    todo: 'Stop it, or give each server its own `data.dir`',
  },
  {
    says: 'There is no spool at …',
    why: 'A command was given another directory, or the server has not started yet',
    now,
    todo: 'Give the directory with `--spool`, or the settings with `--config`',
  },
  {
    says: 'The file of auth.tokens … cannot be used: …',
    why: 'The token file is missing, may not be read, or has a mistake',
    now,
    todo: '`sluice token create NAME --file FILE`: [TLS and tokens](../how-to/tls-and-tokens.md)',
  },
  {
    says: 'The certificate … with the key … cannot be used: …',
    why: 'Certificate and key do not match, are not PEM, or may not be read',
    now,
    todo: 'Fix `tls.cert` and `tls.key`: [TLS and tokens](../how-to/tls-and-tokens.md)',
  },
  {
    says: 'The access log cannot be written: …; change log.access-file.',
    why: 'The directory is missing, or may not be written',
    now,
    todo: 'Create it, or change `log.access-file`',
  },
  {
    says: 'Cannot use the file of registrar.path, …: …',
    why: 'The schema file is missing or has a mistake',
    now,
    todo: '`sluice schema check FILE`',
  },
  {
    says: 'Cannot use the directory of registrar.path, …: …',
    why: 'The directory is missing, or one of its schema files has a mistake',
    now,
    todo: '`sluice schema check FILE`',
  },
  {
    says: '… cannot be used: …',
    why: 'A Kerberos setting is set, but the package `kerberos` is missing or does not load',
    now,
    todo: kerberos,
  },
  {
    says: '… cannot be used: the installed package kerberos is not supported; expected version 7',
    why: 'The installed version of the package `kerberos` is not known',
    now,
    todo: '`npm install kerberos@7`',
  },
  {
    says: '… … cannot be used: …',
    why: 'The keytab is missing, damaged, or may not be read',
    now,
    todo: kerberos,
  },
  {
    says: '… … cannot be used: it has no key for …, but …',
    why: 'The keytab is for other principals',
    now,
    todo: 'Export the keytab of this principal, or fix the setting',
  },
  {
    says: '… has no ticket for HTTP@…: …',
    why: 'The KDC does not know the service, or the host name differs from its principal',
    now: 'Retries; calls fail until then',
    todo: kerberos,
  },
  {
    says: '… has no ticket for HTTP@…: the Kerberos library returned none',
    why: 'The Kerberos library returned no ticket',
    now: 'Retries; calls fail until then',
    todo: kerberos,
  },
]
