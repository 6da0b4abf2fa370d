"""${message}."""

import sqlalchemy as sa
from alembic import op
${imports if imports else ""}
revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this form."""
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    """To the form before."""
    ${downgrades if downgrades else "pass"}
