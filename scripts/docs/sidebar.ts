/** What stands beside every page of the site: all pages, in the order in which one may read them. */
import { readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { root, sitePages } from './site-pages.ts'

type Group = { readonly text: string; readonly items: readonly { readonly text: string; readonly link: string }[] }

/** Paths in the repository, or patterns of them. */
const order: Readonly<Record<string, readonly string[]>> = {
  Learn: ['docs/tour.md', 'docs/concepts.md', 'docs/faq.md'],
  // By what people look for, most wanted first.
  Run: [
    'docs/install.md',
    'docs/deploy.md',
    'docs/kubernetes.md',
    'docs/troubleshooting.md',
    'docs/operations.md',
    'docs/runbook.md',
    'docs/operate.md',
    'docs/upgrade.md',
    'docs/drain.md',
    'SECURITY.md',
    'deploy/**',
  ],
  'How to': [
    'docs/how-to/README.md',
    'docs/how-to/*.md',
    'docs/webhdfs.md',
    'docs/secure-clusters.md',
    'docs/readers/README.md',
    'docs/readers/*.md',
    'docs/examples/**',
  ],
  Reference: [
    'docs/reference/events-and-rows.md',
    'docs/reference/dialects.md',
    'docs/reference/where.md',
    'docs/reference/api.md',
    'docs/reference/settings.md',
    'docs/reference/cli.md',
    'docs/reference/profiles.md',
    'docs/reference/*.md',
    'clients/README.md',
    'clients/**',
    'CHANGELOG.md',
  ],
  Judge: ['RELIABILITY.md', 'docs/soak.md', 'BENCHMARKS.md', 'docs/compare.md', 'docs/why-not.md'],
  Contribute: ['docs/architecture.md', 'CONTRIBUTING.md'],
}

/** What is said in fewer words than in the heading. */
const shorter: Readonly<Record<string, string>> = {
  'docs/webhdfs.md': 'WebHDFS clients',
  'docs/secure-clusters.md': 'Kerberos and single sign-on',
  'docs/readers/README.md': 'Read event files',
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
