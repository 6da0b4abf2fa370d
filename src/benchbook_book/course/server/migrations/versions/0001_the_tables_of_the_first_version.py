"""The tables of the first version."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this form."""
    op.create_table(
        "challenge",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("targets", sa.Text(), nullable=False),
        sa.Column("opens", sa.Float(), nullable=True),
        sa.Column("switches", sa.Float(), nullable=True),
        sa.Column("closes", sa.Float(), nullable=True),
        sa.Column("per_day", sa.Integer(), nullable=False),
        sa.Column("in_test", sa.Integer(), nullable=False),
        sa.Column("enforce", sa.Boolean(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_challenge")),
        sa.UniqueConstraint("slug", name=op.f("uq_challenge_slug")),
    )
    op.create_table(
        "participant",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=True),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("organiser", sa.Boolean(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_participant")),
        sa.UniqueConstraint("name", name=op.f("uq_participant_name")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_participant_token_hash")),
    )
    op.create_table(
        "stale",
        sa.Column("challenge_id", sa.Integer(), nullable=False),
        sa.Column("since", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["challenge_id"],
            ["challenge.id"],
            name=op.f("fk_stale_challenge_id_challenge"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("challenge_id", name=op.f("pk_stale")),
    )
    op.create_table(
        "standing",
        sa.Column("challenge_id", sa.Integer(), nullable=False),
        sa.Column("portion", sa.String(length=16), nullable=False),
        sa.Column("board", sa.JSON(), nullable=False),
        sa.Column("picture", sa.Text(), nullable=False),
        sa.Column("made", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["challenge_id"],
            ["challenge.id"],
            name=op.f("fk_standing_challenge_id_challenge"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("challenge_id", "portion", name=op.f("pk_standing")),
    )
    op.create_table(
        "submission",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("challenge_id", sa.Integer(), nullable=False),
        sa.Column("participant_id", sa.Integer(), nullable=False),
        sa.Column("received", sa.Float(), nullable=False),
        sa.Column("phase", sa.String(length=16), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=True),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("claim", sa.String(length=32), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("finished", sa.Float(), nullable=True),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("exploit", sa.Boolean(), nullable=False),
        sa.Column("faults", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["challenge_id"],
            ["challenge.id"],
            name=op.f("fk_submission_challenge_id_challenge"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["participant_id"],
            ["participant.id"],
            name=op.f("fk_submission_participant_id_participant"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission")),
    )
    with op.batch_alter_table("submission", schema=None) as batch_op:
        batch_op.create_index(
            "ix_submission_challenge_participant", ["challenge_id", "participant_id"], unique=False
        )
        batch_op.create_index("ix_submission_status_id", ["status", "id"], unique=False)

    op.create_table(
        "visit",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("participant_id", sa.Integer(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["participant_id"],
            ["participant.id"],
            name=op.f("fk_visit_participant_id_participant"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_visit")),
    )
    with op.batch_alter_table("visit", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_visit_participant_id"), ["participant_id"], unique=False
        )

    op.create_table(
        "score",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("task", sa.String(length=200), nullable=False),
        sa.Column("ranking", sa.String(length=16), nullable=False),
        sa.Column("losses", sa.JSON(), nullable=False),
        sa.Column("cases", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["submission.id"],
            name=op.f("fk_score_submission_id_submission"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("submission_id", "task", name=op.f("pk_score")),
    )


def downgrade() -> None:
    """To the form before."""
    op.drop_table("score")
    with op.batch_alter_table("visit", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_visit_participant_id"))

    op.drop_table("visit")
    with op.batch_alter_table("submission", schema=None) as batch_op:
        batch_op.drop_index("ix_submission_status_id")
        batch_op.drop_index("ix_submission_challenge_participant")

    op.drop_table("submission")
    op.drop_table("standing")
    op.drop_table("stale")
    op.drop_table("participant")
    op.drop_table("challenge")
