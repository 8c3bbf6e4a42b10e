"""Tests of the administration client: organization, projects, keys, people, service accounts and roles."""

from harness import Skip, done, raises

MEMBER = [{"resource_type": "organization", "role": "OrgMember"}]


def needs(t, name):
    if not hasattr(t.admin, name):
        raise Skip(f"this client has no {name}")
    return getattr(t.admin, name)


async def renames_the_organization(t):
    one = list(t.admin.organizations.list())[0]
    t.organization = one.id
    assert t.admin.organizations.update(organization_id=one.id, name="tests").name == "tests"
    assert t.admin.organizations.describe(organization_id=one.id).name == "tests"
    # It has projects, so it stays.
    await raises(Exception, lambda: t.admin.organizations.delete(organization_id=one.id))


async def manages_projects(t):
    projects = t.admin.projects
    made = projects.create(name="films")
    t.project = made.id
    assert projects.describe(project_id=made.id).name == "films"
    assert projects.describe_by_name(name="films").id == made.id and projects.exists(name="films")
    assert projects.update(project_id=made.id, name="films-2").name == "films-2"
    assert made.id in [one.id for one in projects.list()]
    other = projects.create(name="gone")
    projects.delete_with_cleanup(project_id=other.id, retry_delay=0.1)
    assert not projects.exists(project_id=other.id)


async def manages_keys(t):
    made = t.admin.api_keys.create(project_id=t.project, name="reader", roles=["DataPlaneViewer"])
    key = made.key.id
    assert made.value and t.admin.api_keys.describe(api_key_id=key).name == "reader"
    assert t.admin.api_keys.update(api_key_id=key, name="r2", roles=["ProjectViewer"]).name == "r2"
    assert key in [one.id for one in t.admin.api_keys.list(project_id=t.project)]
    t.admin.api_keys.delete(api_key_id=key)
    assert key not in [one.id for one in t.admin.api_keys.list(project_id=t.project)]


async def manages_service_accounts(t):
    accounts = needs(t, "service_accounts")
    made = accounts.create(name="robot", role_bindings=MEMBER)
    t.account = made.service_account.id if hasattr(made, "service_account") else made.id
    assert accounts.describe(service_account_id=t.account).name == "robot"
    assert accounts.update(service_account_id=t.account, name="robot-2").name == "robot-2"
    assert accounts.rotate_secret(service_account_id=t.account).client_secret != made.client_secret
    assert t.account in [one.id for one in accounts.list()]


async def manages_invites_and_users(t):
    invites = needs(t, "invites")
    made = invites.create(email="ada@example.com", role_bindings=MEMBER)
    assert invites.describe(invite_id=made.id).email == "ada@example.com"
    assert invites.resend(invite_id=made.id)
    assert made.id in [one.id for one in invites.list()]
    invites.delete(invite_id=made.id)
    assert list(t.admin.users.list(email="nobody@example.com")) == []
    for call in (t.admin.users.describe, t.admin.users.delete):
        await raises(Exception, lambda call=call: call(user_id="00000000-0000-4000-8000-000000000000"))


async def manages_role_bindings(t):
    bindings = needs(t, "role_bindings")
    whom = {"principal_type": "service_account", "principal_id": t.account}
    made = bindings.create(**whom, resource_type="project", resource_id=t.project, role="ProjectMember")
    assert bindings.describe(role_binding_id=made.id).role == "ProjectMember"
    assert made.id in [one.id for one in bindings.list(principal_type=whom["principal_type"], principal_id=t.account)]
    bindings.delete(role_binding_id=made.id)
    assert made.id not in [one.id for one in bindings.list(principal_type=whom["principal_type"], principal_id=t.account)]


async def deletes_what_it_made(t):
    if hasattr(t.admin, "service_accounts"):
        t.admin.service_accounts.delete(service_account_id=t.account)
    t.admin.projects.delete(project_id=t.project)
    t.admin.close()


TESTS = [
    renames_the_organization,
    manages_projects,
    manages_keys,
    manages_service_accounts,
    manages_invites_and_users,
    manages_role_bindings,
    deletes_what_it_made,
]
