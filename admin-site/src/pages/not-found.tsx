import { BoxIcon } from '../ui/icons';
import { href, Link } from '../router';
import { PageHead, Panel } from '../ui/page';
import { Empty } from '../ui/states';

export function NotFoundPage() {
  return (
    <>
      <PageHead title="Not found" />
      <Panel>
        <Empty icon={<BoxIcon size={26} />} title="There is no such page" action={<Link to={href('/')}>All products</Link>}>
          The address may be mistyped, or what it names is not there any more.
        </Empty>
      </Panel>
    </>
  );
}
