/** Terms of the trade that people type into the site's search, and a page that has to be among the results. */
import { readFileSync } from 'node:fs'
import { sitePages } from '../../scripts/docs/site-pages.ts'

/** A term, and the page by its path in the repository. */
export const sought: readonly (readonly [term: string, page: string])[] = [
  ['503', 'docs/concepts.md'],
  ['access log', 'docs/operations.md'],
  ['alert', 'docs/runbook.md'],
  ['at least once', 'docs/faq.md'],
  ['audit', 'docs/operations.md'],
  ['autoscaling', 'docs/kubernetes.md'],
  ['backpressure', 'docs/concepts.md'],
  ['backup', 'docs/operate.md'],
  ['CA certificate', 'docs/how-to/tls-and-tokens.md'],
  ['checksum', 'docs/concepts.md'],
  ['compaction', 'docs/how-to/small-files.md'],
  ['CORS', 'docs/how-to/browser-beacon.md'],
  ['dashboard', 'docs/runbook.md'],
  ['dead letter', 'docs/runbook.md'],
  ['Docker', 'docs/deploy.md'],
  ['disk of the spool is full', 'docs/reference/errors.md'],
  ['downgrade', 'docs/upgrade.md'],
  ['durability', 'docs/concepts.md'],
  ['encoding', 'docs/reference/dialects.md'],
  ['encryption at rest', 'docs/faq.md'],
  ['exactly once', 'docs/concepts.md'],
  ['failover', 'docs/operations.md'],
  ['fdatasync', 'docs/concepts.md'],
  ['file descriptors', 'docs/operate.md'],
  ['GDPR', 'docs/faq.md'],
  ['graceful shutdown', 'docs/operations.md'],
  ['Grafana', 'docs/kubernetes.md'],
  ['health check', 'docs/deploy.md'],
  ['Helm', 'docs/kubernetes.md'],
  ['high availability', 'docs/operations.md'],
  ['Iceberg', 'docs/how-to/tables.md'],
  ['Kerberos', 'docs/secure-clusters.md'],
  ['latency', 'BENCHMARKS.md'],
  ['LDAP', 'docs/secure-clusters.md'],
  ['listener cannot start', 'docs/reference/errors.md'],
  ['liveness', 'docs/operate.md'],
  ['load balancer', 'docs/operate.md'],
  ['log rotation', 'docs/operations.md'],
  ['OIDC', 'docs/secure-clusters.md'],
  ['Nothing answers at', 'docs/reference/errors.md'],
  ['OpenTelemetry', 'docs/how-to/otlp.md'],
  ['out of memory', 'docs/troubleshooting.md'],
  ['Parquet', 'docs/operations.md'],
  ['partition', 'docs/readers/hive.md'],
  ['personal data', 'docs/faq.md'],
  ['Prometheus', 'docs/kubernetes.md'],
  ['rate limit', 'docs/operate.md'],
  ['RBAC', 'SECURITY.md'],
  ['readiness', 'docs/operate.md'],
  ['reload', 'docs/operations.md'],
  ['replication', 'docs/operate.md'],
  ['retention', 'docs/faq.md'],
  ['retry', 'docs/concepts.md'],
  ['rolling restart', 'docs/operate.md'],
  ['S3', 'docs/faq.md'],
  ['schema registry', 'docs/operations.md'],
  ['schema validation', 'docs/reference/contracts.md'],
  ['semicolon', 'docs/reference/dialects.md'],
  ['sizing', 'docs/operate.md'],
  ['SSO', 'docs/secure-clusters.md'],
  ['symlink', 'docs/install.md'],
  ['systemd', 'docs/deploy.md'],
  ['throughput', 'BENCHMARKS.md'],
  ['tracing', 'docs/operations.md'],
  ['troubleshooting', 'docs/troubleshooting.md'],
  ['ulimit', 'docs/runbook.md'],
  ['upgrade', 'docs/upgrade.md'],
  ['X-Forwarded-For', 'docs/operate.md'],
]

/** Address of a page on the site. */
export const toAddress = (page: string): string => `/${sitePages.get(page)?.replace(/\.md$/, '.html')}`

/**
 * Whether the site's search finds a term on a page: each of its words begins a word of one section, as the index is made of sections
 * and the search asks for all words.
 */
export const isFound = (term: string, page: string): boolean => {
  const sections = readFileSync(page, 'utf8').split(/^(?=#{1,6} )/m)
  const words = toWords(term)
  return sections.some(section => {
    const there = toWords(section)
    return words.every(word => there.some(one => one.startsWith(word)))
  })
}

/** As the index takes a text apart: at blanks and punctuation. */
const toWords = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .replaceAll(/[`|]/g, ' ')
    .split(/[\n\r\p{Z}\p{P}]+/u)
    .filter(word => word !== '')
