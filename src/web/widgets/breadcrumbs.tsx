/** Breadcrumbs, from the top level down. */
export function Breadcrumbs({ links }: { links: readonly (readonly [name: string, address: string])[] }) {
  return (
    <nav class="breadcrumbs small" aria-label="Breadcrumbs">
      {links.map(([name, address]) => (
        <a href={address}>
          <bdi>{name}</bdi>
        </a>
      ))}
    </nav>
  );
}
