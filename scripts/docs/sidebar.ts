/** The sidebar of the site: all pages, in reading order. */
import { readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { root, sitePages } from './site-pages.ts'

type Group = { readonly text: string; readonly items: readonly { readonly text: string; readonly link: string }[] }

/** Paths in the repository, or patterns of them: what to do with Sluice, then what to look up. */
const order: Readonly<Record<string, readonly string[]>> = {
  Learn: ['docs/tour.md', 'docs/concepts.md', 'docs/faq.md', 'docs/reference/glossary.md', 'docs/examples/**'],
  // By sender, then what becomes of what they send.
  Send: [
    'docs/how-to/README.md',
    'docs/how-to/browser-beacon.md',
    'docs/how-to/{java,python,go}.md',
    'docs/how-to/fluent-bit-vector.md',
    'docs/how-to/doors.md',
    'docs/how-to/{segment,snowplow,posthog,cloudevents,otlp,firehose,lines-and-csv}.md',
    'docs/how-to/eventtracker-2012.md',
    'docs/reference/contracts.md',
    'docs/how-to/refused-events.md',
    'clients/README.md',
    'clients/**',
  ],
  // By reader.
  Read: [
    'docs/readers/README.md',
    'docs/readers/{duckdb,pyarrow,spark,hadoop,trino,hive}.md',
    'docs/webhdfs.md',
    'docs/how-to/tables.md',
    'docs/how-to/table-catalog.md',
    'docs/how-to/write-tables.md',
    'docs/how-to/small-files.md',
    'docs/how-to/file-links.md',
    'docs/reference/{where,dialects}.md',
  ],
  // By what people look for: install, size, secure, watch, fix, upgrade, many, take away.
  Run: [
    'docs/install.md',
    'docs/deploy.md',
    'docs/kubernetes.md',
    'docs/operations.md',
    'SECURITY.md',
    'docs/how-to/tls-and-tokens.md',
    'docs/how-to/nginx.md',
    'docs/secure-clusters.md',
    'docs/how-to/name-service.md',
    'docs/object-stores.md',
    'docs/troubleshooting.md',
    'docs/runbook.md',
    'docs/upgrade.md',
    'docs/operate.md',
    'docs/drain.md',
    'deploy/**',
  ],
  'Look up': [
    'docs/reference/events-and-rows.md',
    'docs/reference/api.md',
    'docs/reference/settings.md',
    'docs/reference/cli.md',
    'docs/reference/profiles.md',
    'docs/reference/*.md',
    'CHANGELOG.md',
  ],
  Judge: ['RELIABILITY.md', 'docs/soak.md', 'BENCHMARKS.md', 'docs/compare.md', 'docs/why-not.md'],
  Contribute: ['docs/architecture.md', 'CONTRIBUTING.md'],
}

/** What people look for, where the heading says it otherwise or in more words. */
const shorter: Readonly<Record<string, string>> = {
  'docs/webhdfs.md': 'WebHDFS clients',
  'docs/secure-clusters.md': 'Kerberos and single sign-on',
  'docs/readers/README.md': 'Read event files',
  'docs/operations.md': 'Operations: HDFS, files, watching',
  'SECURITY.md': 'Secure it',
  'docs/troubleshooting.md': 'Fix a symptom',
  'docs/runbook.md': 'Fix an alert',
  'docs/operate.md': 'Run many, size machines',
}

const titleOf = (path: string): string =>
  shorter[path] ?? (/^# (.*)$/m.exec(readFileSync(root + path, 'utf8'))?.[1] ?? path).replaceAll('`', '')

/** The groups that have pages. @throws Error for a page that is in none */
export const makeSidebar = (): readonly Group[] => {
  const left = new Set([...sitePages.keys()].filter(path => path !== 'docs/index.md'))
  const groups = Object.entries(order).map(([text, patterns]) => ({
    text,
    items: patterns.flatMap(pattern =>
      [...left]
        .filter(path => matchesGlob(path, pattern) && left.delete(path))
        .map(path => ({ text: titleOf(path), link: `/${sitePages.get(path)}` })),
    ),
  }))
  if (left.size > 0) throw new Error(`No place in the sidebar (scripts/docs/sidebar.ts) for ${[...left].join(', ')}`)
  return groups.filter(({ items }) => items.length > 0)
}
