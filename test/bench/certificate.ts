import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Certificate } from './servers.ts'
import { Skipped } from './trial.ts'

/** Signed by itself, for 127.0.0.1. @throws Skipped without openssl */
export const makeCertificate = (directory: string): Certificate => {
  const certificate = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') }
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', certificate.key]
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  try {
    execFileSync('openssl', ['req', '-x509', ...key, '-out', certificate.cert, '-days', '2', ...names], {
      stdio: 'ignore',
    })
  } catch (cause) {
    throw Object.assign(new Skipped('no certificate: "openssl req" failed or is missing'), { cause })
  }
  return certificate
}
