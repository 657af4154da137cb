/** Where one is below, from the top. */
export function Trail({ links }: { links: readonly (readonly [name: string, address: string])[] }) {
  return (
    <nav class="trail small" aria-label="Above this page">
      {links.map(([name, address]) => (
        <a href={address}>
          <bdi>{name}</bdi>
        </a>
      ))}
    </nav>
  );
}
